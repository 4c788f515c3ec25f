package dev.muster.micrometer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The module uses what any program can use of core, and nothing of the registries of vendors. */
@AnalyzeClasses(packages = "dev.muster.micrometer", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster",
                    "dev.muster.micrometer",
                    "dev.muster.cluster",
                    "dev.muster.job",
                    "dev.muster.leader",
                    "dev.muster.internal.node",
                    "dev.muster.runtime",
                    "dev.muster.telemetry",
                    "io.micrometer.core..",
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..");
}
