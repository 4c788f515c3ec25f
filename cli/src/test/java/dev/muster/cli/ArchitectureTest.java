package dev.muster.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** What the command may use, and the order of its packages. */
@AnalyzeClasses(packages = "dev.muster.cli", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster..",
                    "ch.qos.logback..",
                    "com.zaxxer.hikari..",
                    "javax.sql..",
                    "org.postgresql..",
                    "picocli..",
                    "tools.jackson..",
                    "java..",
                    "org.jspecify..",
                    "org.slf4j..");

    /** The command is a user of core's API and of the store. */
    @ArchTest
    static final ArchRule staysOutside = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.muster.job.internal..", "dev.muster.testkit..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.muster.(cli..)").should().beFreeOfCycles();
}
