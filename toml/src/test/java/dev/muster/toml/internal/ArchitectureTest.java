package dev.muster.toml.internal;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The reader of muster.toml uses one port of core. */
@AnalyzeClasses(packages = "dev.muster.toml.internal", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.toml.internal",
                    "dev.muster.internal.config",
                    "tools.jackson..",
                    "java..",
                    "org.jspecify..");
}
