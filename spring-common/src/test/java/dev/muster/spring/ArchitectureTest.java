package dev.muster.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What both starters share knows neither Spring Boot nor Muster's store, gateway or JSON. */
@AnalyzeClasses(packages = "dev.muster.spring", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster",
                    "dev.muster.cluster",
                    "dev.muster.config",
                    "dev.muster.document.internal",
                    "dev.muster.job..",
                    "dev.muster.ratelimit",
                    "dev.muster.lock",
                    "dev.muster.internal.assembly",
                    "dev.muster.internal.config",
                    "dev.muster.internal.node",
                    "dev.muster.overview",
                    "dev.muster.runtime",
                    "dev.muster.spring",
                    "dev.muster.spring.internal",
                    "dev.muster.telemetry",
                    "com.zaxxer.hikari..",
                    "org.springframework.aop..",
                    "org.springframework.beans..",
                    "org.springframework.context..",
                    "org.springframework.core..",
                    "org.springframework.dao..",
                    "org.springframework.jdbc..",
                    "org.springframework.scheduling.annotation",
                    "org.springframework.transaction..",
                    "org.springframework.util..",
                    "javax.sql..",
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..");
}
