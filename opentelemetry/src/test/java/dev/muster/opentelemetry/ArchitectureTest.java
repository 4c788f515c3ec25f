package dev.muster.opentelemetry;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The module uses the API of OpenTelemetry, not its SDK, and of core the types that a tracer gets. */
@AnalyzeClasses(packages = "dev.muster.opentelemetry", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.opentelemetry",
                    "dev.muster.telemetry",
                    "dev.muster.job",
                    "io.opentelemetry.api..",
                    "io.opentelemetry.context..",
                    "java..",
                    "org.jspecify..");
}
