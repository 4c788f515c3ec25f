package dev.muster.examples;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** Examples use what users use: the public packages of core, a pool, and the embedded server. */
@AnalyzeClasses(packages = "dev.muster.examples", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster",
                    "dev.muster.examples..",
                    "dev.muster.config",
                    "dev.muster.daemon",
                    "dev.muster.embedded",
                    "dev.muster.access",
                    "dev.muster.function",
                    "dev.muster.job",
                    "dev.muster.job.payload",
                    "dev.muster.leader",
                    "dev.muster.graph",
                    "dev.muster.ratelimit",
                    "dev.muster.lock",
                    "dev.muster.runtime",
                    "dev.muster.schedule",
                    "dev.muster.batch",
                    "dev.muster.workflow",
                    "com.zaxxer.hikari..",
                    "java..",
                    "javax.sql..",
                    "org.jspecify..",
                    "org.slf4j..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.muster.(examples..)").should().beFreeOfCycles();
}
