package dev.muster.spring.boot;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.muster.Muster;
import dev.muster.batch.Batches;
import dev.muster.daemon.Daemons;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.job.TransactionScope;
import dev.muster.json.jackson2.Jackson2Codec;
import dev.muster.json.jackson3.Jackson3Codec;
import dev.muster.limit.RateLimits;
import dev.muster.lock.Locks;
import dev.muster.runtime.JsonCodec;
import dev.muster.schedule.Crons;
import dev.muster.spring.MusterApis;
import dev.muster.spring.MusterFactory;
import dev.muster.spring.MusterLifecycle;
import dev.muster.spring.MusterTransactions;
import dev.muster.workflow.Workflows;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.ConfigurableEnvironment;
import tools.jackson.databind.json.JsonMapper;

/**
 * The application's Muster: beans with handlers run as jobs, {@code Jobs} and the like can be injected, and the node joins the cluster when
 * the application has started. Each bean gives way to one of the application's own.
 */
@AutoConfiguration(
        after = DataSourceAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration"
        })
@ConditionalOnProperty(prefix = "muster", name = "enabled", matchIfMissing = true)
public class MusterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MusterFactory musterFactory(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
        return new MusterFactory(beans, environment);
    }

    @Bean
    @ConditionalOnMissingBean
    TransactionScope musterTransactionScope(MusterFactory factory) {
        return factory.transactionScope();
    }

    @Bean
    @ConditionalOnMissingBean
    MusterTransactions musterTransactions(TransactionScope scope) {
        return new MusterTransactions(scope);
    }

    @Bean(destroyMethod = "close")
    @ConditionalOnMissingBean
    Muster muster(MusterFactory factory) {
        return factory.build();
    }

    @Bean
    @ConditionalOnMissingBean
    MusterLifecycle musterLifecycle(MusterFactory factory, Muster muster) {
        return factory.lifecycle(muster);
    }

    @Bean
    MusterApis musterApis(ObjectProvider<Muster> muster) {
        return new MusterApis(muster::getObject);
    }

    @Bean
    @ConditionalOnMissingBean
    Jobs musterJobs(MusterApis apis) {
        return apis.of(Jobs.class, Muster::jobs);
    }

    @Bean
    @ConditionalOnMissingBean
    Queues musterQueues(MusterApis apis) {
        return apis.of(Queues.class, Muster::queues);
    }

    @Bean
    @ConditionalOnMissingBean
    Crons musterCrons(MusterApis apis) {
        return apis.of(Crons.class, Muster::crons);
    }

    @Bean
    @ConditionalOnMissingBean
    Daemons musterDaemons(MusterApis apis) {
        return apis.of(Daemons.class, Muster::daemons);
    }

    @Bean
    @ConditionalOnMissingBean
    Workflows musterWorkflows(MusterApis apis) {
        return apis.of(Workflows.class, Muster::workflows);
    }

    @Bean
    @ConditionalOnMissingBean
    Graphs musterGraphs(MusterApis apis) {
        return apis.of(Graphs.class, Muster::graphs);
    }

    @Bean
    @ConditionalOnMissingBean
    Batches musterBatches(MusterApis apis) {
        return apis.of(Batches.class, Muster::batches);
    }

    @Bean
    @ConditionalOnMissingBean
    Functions musterFunctions(MusterApis apis) {
        return apis.of(Functions.class, Muster::functions);
    }

    @Bean
    @ConditionalOnMissingBean
    Locks musterLocks(MusterApis apis) {
        return apis.of(Locks.class, Muster::locks);
    }

    @Bean
    @ConditionalOnMissingBean
    RateLimits musterRateLimits(MusterApis apis) {
        return apis.of(RateLimits.class, Muster::rateLimits);
    }

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
