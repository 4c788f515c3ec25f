package dev.muster.json.jackson2;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The codec over Jackson 2 uses one port of core, and not Jackson 3. */
@AnalyzeClasses(packages = "dev.muster.json.jackson2", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.json.jackson2",
                    "dev.muster.json.internal",
                    "dev.muster.runtime",
                    "com.fasterxml.jackson..",
                    "java..",
                    "org.jspecify..");
}
