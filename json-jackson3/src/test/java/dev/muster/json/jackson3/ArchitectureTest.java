package dev.muster.json.jackson3;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The codec over Jackson 3 uses one port of core. Jackson 3 has its annotations from Jackson 2. */
@AnalyzeClasses(packages = "dev.muster.json.jackson3", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.json.jackson3",
                    "dev.muster.json.internal",
                    "dev.muster.runtime",
                    "tools.jackson..",
                    "com.fasterxml.jackson.annotation",
                    "java..",
                    "org.jspecify..");
}
