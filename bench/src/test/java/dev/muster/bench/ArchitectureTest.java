package dev.muster.bench;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the benchmarks may use. */
@AnalyzeClasses(packages = "dev.muster.bench", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .that()
            .resideInAPackage("dev.muster.bench")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster..",
                    "com.sun.management..",
                    "com.zaxxer.hikari..",
                    "io.javalin..",
                    "io.opentelemetry..",
                    "javax.sql..",
                    "org.postgresql..",
                    "picocli..",
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..");

    /** Benchmarks measure Muster as users and nodes use it; other products are loaded with class paths of their own. */
    @ArchTest
    static final ArchRule staysOutside = noClasses()
            .that()
            .resideInAPackage("dev.muster.bench")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.postgres..",
                    "dev.muster.internal.job.engine..",
                    "dev.muster.testkit..",
                    "dev.muster.cli..",
                    "com.github.kagkarlsson..",
                    "dev.dbos..",
                    "org.jobrunr..",
                    "org.quartz..");
}
