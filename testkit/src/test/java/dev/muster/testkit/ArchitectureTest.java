package dev.muster.testkit;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the test kit may use. */
@AnalyzeClasses(packages = "dev.muster.testkit", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .that()
            .resideOutsideOfPackage("dev.muster.testkit.spring")
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster..",
                    "com.zaxxer.hikari..",
                    "javax.sql..",
                    "org.assertj..",
                    "org.junit..",
                    "org.postgresql..",
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..");

    /** The test kit opens its store as a user would, and starts no command. */
    @ArchTest
    static final ArchRule staysOutside = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.muster.postgres..", "dev.muster.cli..", "dev.muster.examples..");
}
