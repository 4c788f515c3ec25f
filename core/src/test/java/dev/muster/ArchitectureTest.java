package dev.muster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import dev.muster.job.JobId;

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
            .layer("muster")
            .definedBy("dev.muster")
            .whereLayer("muster")
            .mayNotBeAccessedByAnyLayer()
            .whereLayer("health")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("worker")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("recovery")
            .mayOnlyBeAccessedByLayers("muster")
            .whereLayer("wakeup")
            .mayOnlyBeAccessedByLayers("worker", "muster")
            .whereLayer("cluster")
            .mayOnlyBeAccessedByLayers("leader", "wakeup", "recovery", "worker", "health", "muster")
            .whereLayer("leader")
            .mayOnlyBeAccessedByLayers("wakeup", "recovery", "worker", "muster")
            .whereLayer("job")
            .mayOnlyBeAccessedByLayers("cluster", "leader", "wakeup", "recovery", "worker", "muster")
            .whereLayer("config")
            .mayOnlyBeAccessedByLayers("job", "cluster", "leader", "wakeup", "recovery", "worker", "muster");

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

    /** Node clocks change nothing: only ids carry them, and nothing is decided by an id. */
    @ArchTest
    static final ArchRule nobodyLooksAtTheWallClock = noClasses()
            .that()
            .doNotBelongToAnyOf(JobId.class)
            .should()
            .callMethod(System.class, "currentTimeMillis")
            .orShould()
            .callMethod(java.time.Instant.class, "now")
            .orShould()
            .callMethod(java.time.LocalDate.class, "now")
            .orShould()
            .callMethod(java.time.OffsetDateTime.class, "now")
            .orShould()
            .callMethod(java.time.ZonedDateTime.class, "now")
            .orShould()
            .callMethod(java.time.LocalDateTime.class, "now")
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(java.time.Clock.class);

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
                    "org.jspecify..");
}
