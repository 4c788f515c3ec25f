package dev.muster.chaos;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What starts and hurts processes knows no Muster: its tests do. */
@AnalyzeClasses(packages = "dev.muster.chaos", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.chaos",
                    "dev.muster.embedded",
                    "java..",
                    "javax.sql..",
                    "org.postgresql..",
                    "org.jspecify..",
                    "org.slf4j..");
}
