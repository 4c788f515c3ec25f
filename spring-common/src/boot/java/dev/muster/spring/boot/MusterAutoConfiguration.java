package dev.muster.spring.boot;

import dev.muster.Muster;
import dev.muster.batch.Batches;
import dev.muster.daemon.Daemons;
import dev.muster.function.Functions;
import dev.muster.graph.Graphs;
import dev.muster.job.CurrentTransaction;
import dev.muster.job.Jobs;
import dev.muster.job.Queues;
import dev.muster.lock.Locks;
import dev.muster.ratelimit.RateLimits;
import dev.muster.schedule.Crons;
import dev.muster.spring.MusterTransactions;
import dev.muster.spring.internal.MusterApis;
import dev.muster.spring.internal.MusterFactory;
import dev.muster.spring.internal.MusterLifecycle;
import dev.muster.workflow.Workflows;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The application's Muster: beans with handlers run as jobs, {@code Jobs} and the like can be injected, and the node joins the cluster when
 * the application has started. Each bean gives way to one of the application's own.
 */
@AutoConfiguration(
        afterName = {
            // Those of Spring Boot 3
            "org.springframework.boot.autoconfigure.jdbc.DataSourceAutoConfiguration",
            "org.springframework.boot.autoconfigure.jackson.JacksonAutoConfiguration",
            // and those of 4.
            "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration",
            "org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration",
            "org.springframework.boot.jackson2.autoconfigure.Jackson2AutoConfiguration"
        })
@Import(ApplicationJson.class)
@ConditionalOnProperty(prefix = "muster", name = "enabled", matchIfMissing = true)
public class MusterAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    MusterFactory musterFactory(ConfigurableListableBeanFactory beans, ConfigurableEnvironment environment) {
        return new MusterFactory(beans, environment);
    }

    @Bean
    @ConditionalOnMissingBean
    CurrentTransaction musterCurrentTransaction(MusterFactory factory) {
        return factory.currentTransaction();
    }

    @Bean
    @ConditionalOnMissingBean
    MusterTransactions musterTransactions(CurrentTransaction transaction) {
        return new MusterTransactions(transaction);
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
}
