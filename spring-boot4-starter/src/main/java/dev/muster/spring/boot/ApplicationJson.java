package dev.muster.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.json.jackson2.Jackson2Codec;
import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.runtime.JsonCodec;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import tools.jackson.databind.json.JsonMapper;

/** The codec over the Jackson that the application has. */
@Configuration(proxyBeanMethods = false)
class ApplicationJson {

    // Each of these three gives way to the ones before it, and their order is not that of the source.

    /** Jackson 2 in an application that has both and says that it prefers 2. */
    @Configuration(proxyBeanMethods = false)
    @Order(1)
    @ConditionalOnClass({ObjectMapper.class, Jackson2Codec.class})
    @ConditionalOnProperty(name = "spring.http.converters.preferred-json-mapper", havingValue = "jackson2")
    static class PreferredJackson2 {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnSingleCandidate(ObjectMapper.class)
        JsonCodec musterPreferredJackson2Codec(ObjectMapper mapper) {
            return new Jackson2Codec(mapper);
        }
    }

    /** The application's own Jackson 3. */
    @Configuration(proxyBeanMethods = false)
    @Order(2)
    @ConditionalOnClass({JsonMapper.class, Jackson3Codec.class})
    static class Jackson3 {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnSingleCandidate(JsonMapper.class)
        JsonCodec musterJsonCodec(JsonMapper mapper) {
            return new Jackson3Codec(mapper);
        }
    }

    /** The Jackson 2 of an application that has kept it, and has added {@code muster-json-jackson2}. */
    @Configuration(proxyBeanMethods = false)
    @Order(3)
    @ConditionalOnClass({ObjectMapper.class, Jackson2Codec.class})
    static class Jackson2 {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnSingleCandidate(ObjectMapper.class)
        JsonCodec musterJackson2Codec(ObjectMapper mapper) {
            return new Jackson2Codec(mapper);
        }
    }
}
