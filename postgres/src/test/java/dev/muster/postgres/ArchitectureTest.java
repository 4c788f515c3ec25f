package dev.muster.postgres;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The order of the packages of this module, and what they may use. */
@AnalyzeClasses(packages = "dev.muster.postgres", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    /** Read from below: db is used by all; the root package assembles the store and is used by none. */
    @ArchTest
    static final ArchRule packagesKeepTheirOrder = layeredArchitecture()
            .consideringOnlyDependenciesInLayers()
            .layer("root")
            .definedBy("dev.muster.postgres")
            .layer("cluster")
            .definedBy("dev.muster.postgres.cluster")
            .layer("crons")
            .definedBy("dev.muster.postgres.crons")
            .layer("upkeep")
            .definedBy("dev.muster.postgres.upkeep")
            .layer("jobs")
            .definedBy("dev.muster.postgres.jobs")
            .layer("claims")
            .definedBy("dev.muster.postgres.claims")
            .layer("wakeup")
            .definedBy("dev.muster.postgres.wakeup")
            .layer("schema")
            .definedBy("dev.muster.postgres.schema")
            .layer("db")
            .definedBy("dev.muster.postgres.db")
            .whereLayer("root")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("cluster")
            .mayOnlyBeAccessedByLayers("root")
            .whereLayer("crons")
            .mayOnlyBeAccessedByLayers("root")
            .whereLayer("upkeep")
            .mayOnlyBeAccessedByLayers("root")
            .whereLayer("jobs")
            .mayOnlyBeAccessedByLayers("root", "claims")
            .whereLayer("claims")
            .mayOnlyBeAccessedByLayers("root", "cluster", "jobs")
            .whereLayer("wakeup")
            .mayOnlyBeAccessedByLayers("root", "cluster", "jobs")
            .whereLayer("schema")
            .mayOnlyBeAccessedByLayers("root");

    /** But for the one circle that is left: claims and the store of jobs. */
    @ArchTest
    static final ArchRule packagesHaveNoCycles = slices().matching("dev.muster.(postgres..)")
            .should()
            .beFreeOfCycles()
            .ignoreDependency(
                    resideInAPackage("dev.muster.postgres.claims"), resideInAPackage("dev.muster.postgres.jobs"));

    @ArchTest
    static final ArchRule usesTheDriverAndNoFramework = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster..",
                    "java..",
                    "javax.sql..",
                    "org.postgresql..",
                    "com.zaxxer.hikari..",
                    "org.slf4j..",
                    "org.jspecify..");

    /** Hosts that bring a DataSource of their own need not have it. */
    @ArchTest
    static final ArchRule oneClassUsesHikari = noClasses()
            .that()
            .doNotHaveFullyQualifiedName(PostgresConnections.class.getName())
            .and()
            .doNotHaveFullyQualifiedName(PostgresConnections.class.getName() + "$LeaveWhatTakesNoWrites")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("com.zaxxer.hikari..");
}
