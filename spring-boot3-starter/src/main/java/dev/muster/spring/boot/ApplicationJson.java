package dev.muster.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.json.jackson2.Jackson2Codec;
import dev.muster.runtime.JsonCodec;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The codec over the application's own Jackson. */
@Configuration(proxyBeanMethods = false)
class ApplicationJson {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ObjectMapper.class, Jackson2Codec.class})
    static class Json {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnSingleCandidate(ObjectMapper.class)
        JsonCodec musterJsonCodec(ObjectMapper mapper) {
            return new Jackson2Codec(mapper);
        }
    }
}
