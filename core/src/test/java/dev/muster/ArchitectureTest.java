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
            .layer("worker")
            .definedBy("dev.muster.worker..")
            .layer("upkeep")
            .definedBy("dev.muster.upkeep..")
            .layer("muster")
            .definedBy("dev.muster")
            .whereLayer("muster")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("upkeep")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("worker")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("wakeup")
            .mayOnlyBeAccessedByLayers("worker", "muster")
            .whereLayer("cluster")
            .mayOnlyBeAccessedByLayers("leader", "wakeup", "worker", "muster")
            .whereLayer("leader")
            .mayOnlyBeAccessedByLayers("wakeup", "worker", "upkeep", "muster")
            .whereLayer("job")
            .mayOnlyBeAccessedByLayers("cluster", "leader", "wakeup", "worker", "muster")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers("job", "cluster", "leader", "wakeup", "worker", "upkeep", "muster");

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
                    "org.slf4j..",
                    "org.jspecify..");
}
