package dev.muster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The order of the packages: each may use only those before it. */
@AnalyzeClasses(packages = "dev.muster", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule packagesKeepTheirOrder = layeredArchitecture()
            .consideringOnlyDependenciesInAnyPackage("dev.muster..")
            .layer("runtime")
            .definedBy("dev.muster.runtime..")
            .layer("config")
            .definedBy("dev.muster.config..")
            .layer("job")
            .definedBy("dev.muster.job..")
            .layer("cluster")
            .definedBy("dev.muster.cluster..")
            .layer("leader")
            .definedBy("dev.muster.leader..")
            .layer("wakeup")
            .definedBy("dev.muster.wakeup..")
            .layer("recovery")
            .definedBy("dev.muster.recovery..")
            .layer("worker")
            .definedBy("dev.muster.worker..")
            .layer("health")
            .definedBy("dev.muster.health..")
            .layer("lock")
            .definedBy("dev.muster.lock..")
            .layer("schedule")
            .definedBy("dev.muster.schedule..")
            .layer("daemon")
            .definedBy("dev.muster.daemon..")
            .layer("muster")
            .definedBy("dev.muster")
            .whereLayer("muster")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("health")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("worker")
            .mayOnlyBeAccessedByLayers("schedule", "daemon", "muster")
            .whereLayer("schedule")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("daemon")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("recovery")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("wakeup")
            .mayOnlyBeAccessedByLayers("worker", "schedule", "daemon", "muster")
            .whereLayer("cluster")
            .mayOnlyBeAccessedByLayers(
                    "leader", "lock", "wakeup", "recovery", "worker", "schedule", "daemon", "health", "muster")
            .whereLayer("leader")
            .mayOnlyBeAccessedByLayers("wakeup", "recovery", "worker", "schedule", "daemon", "muster")
            .whereLayer("lock")
            .mayOnlyBeAccessedByLayers("leader", "wakeup", "worker", "schedule", "daemon", "muster")
            .whereLayer("job")
            .mayOnlyBeAccessedByLayers(
                    "cluster", "leader", "lock", "wakeup", "recovery", "worker", "schedule", "daemon", "muster")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers(
                    "job", "cluster", "leader", "lock", "wakeup", "recovery", "worker", "schedule", "daemon", "muster");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("dev.muster.(*)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule internalsStayInTheirPackage = noClasses()
            .that()
            .resideOutsideOfPackages("dev.muster.job..", "dev.muster")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.muster.job.internal..");

    @ArchTest
    static final ArchRule noSqlInCore = noClasses()
            .should()
            .callMethod(java.sql.Connection.class, "prepareStatement", String.class)
            .orShould()
            .callMethod(java.sql.Connection.class, "createStatement");

    @ArchTest
    static final ArchRule aLibraryBringsNoFramework = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster..",
                    "java..",
                    "javax.crypto..",
                    "javax.sql..",
                    "com.sun.management..",
                    "com.sun.net.httpserver..",
                    "org.slf4j..",
                    "org.jspecify..",
                    "com.cronutils..");
}
