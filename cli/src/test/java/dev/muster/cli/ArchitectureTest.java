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

    /** The command is a user of core's API. */
    @ArchTest
    static final ArchRule staysOutside = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.internal.job.engine..", "dev.muster.internal.job.store..", "dev.muster.testkit..");

    /**
     * It knows nothing of the store, with two exceptions: one class opens connections for applications, and one prints the files of the
     * migrations, which needs no database.
     */
    @ArchTest
    static final ArchRule usesTheStoreThroughCore = noClasses()
            .that()
            .doNotHaveFullyQualifiedName("dev.muster.cli.internal.database.Connections")
            .and()
            .doNotHaveFullyQualifiedName("dev.muster.cli.internal.database.MigrateSqlCommand")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.muster.postgres..");

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.muster.(cli..)").should().beFreeOfCycles();
}
