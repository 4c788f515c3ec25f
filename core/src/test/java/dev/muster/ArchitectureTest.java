package dev.muster;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.core.importer.Locations;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.junit.LocationProvider;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import dev.muster.internal.graph.GraphStore;
import dev.muster.internal.job.store.ClaimSession;
import dev.muster.internal.job.store.ClaimStore;
import dev.muster.internal.job.store.NewJob;
import dev.muster.internal.job.store.Outcome;
import dev.muster.internal.workflow.WorkflowStore;
import dev.muster.job.JobId;
import dev.muster.schedule.CronDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The order of the packages: each may use only those before it. */
@AnalyzeClasses(locations = ArchitectureTest.ClassesOfCore.class)
class ArchitectureTest {

    /** Not those of other modules on the class path, whose packages begin with the same words. */
    static final class ClassesOfCore implements LocationProvider {
        @Override
        public Set<Location> get(Class<?> testClass) {
            return Locations.of(
                    List.of(Muster.class.getProtectionDomain().getCodeSource().getLocation()));
        }
    }

    /**
     * The rooms. A room is an API package and the internal package of the same name, or one of the two. The door, which is the root package,
     * the assembly of a node and what other jars provide for it, comes last and may use any.
     */
    private static final List<String> ORDER = List.of(
            "runtime",
            "config",
            "job",
            "routing",
            "telemetry",
            "attempt",
            "cluster",
            "leader",
            "lock",
            "ratelimit",
            "node",
            "access",
            "function",
            "process",
            "recovery",
            "worker",
            "admission",
            "schedule",
            "daemon",
            "workflow",
            "graph",
            "batch",
            "maintenance",
            "overview",
            "event",
            "health");

    private static final String[] DOOR = {"dev.muster", "dev.muster.internal.assembly", "dev.muster.internal.provider"};

    private static String room(JavaClass type) {
        String name = type.getPackageName().replaceFirst("^dev\\.muster(\\.internal)?\\.?", "");
        return List.of("", "assembly", "provider").contains(name) ? "door" : name.split("\\.")[0];
    }

    @ArchTest
    static void packagesKeepTheirOrder(JavaClasses classes) {
        for (int i = 0; i < ORDER.size(); i++) {
            List<String> later = new ArrayList<>(List.of(DOOR));
            for (String name : ORDER.subList(i + 1, ORDER.size())) {
                later.add("dev.muster." + name + "..");
                later.add("dev.muster.internal." + name + "..");
            }
            noClasses()
                    .that()
                    .resideInAnyPackage(
                            "dev.muster." + ORDER.get(i) + "..", "dev.muster.internal." + ORDER.get(i) + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(later.toArray(String[]::new))
                    .check(classes);
        }
    }

    @ArchTest
    static void everyPackageHasItsPlace(JavaClasses classes) {
        classes.stream()
                .map(ArchitectureTest::room)
                .filter(room -> !room.equals("door"))
                .forEach(room -> assertThat(ORDER).contains(room));
    }

    @ArchTest
    static final ArchRule noCycles = slices().assignedFrom(new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass type) {
                    return SliceIdentifier.of(room(type));
                }

                @Override
                public String getDescription() {
                    return "rooms";
                }
            })
            .should()
            .beFreeOfCycles();

    /** What users touch is made of what users touch. Only helpers of all rooms and what its own room has are used behind it. */
    @ArchTest
    static void theApiKnowsNoEngine(JavaClasses classes) {
        for (String room : ORDER) {
            List<String> engine =
                    new ArrayList<>(List.of("dev.muster.internal.assembly", "dev.muster.internal.provider"));
            ORDER.stream()
                    .filter(other -> !List.of("runtime", "config", room).contains(other))
                    .forEach(other -> engine.add("dev.muster.internal." + other + ".."));
            noClasses()
                    .that()
                    .resideInAPackage("dev.muster." + room + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(engine.toArray(String[]::new))
                    .allowEmptyShould(true)
                    .check(classes);
        }
    }

    /** Nobody else reaches a node's parts: everybody goes through {@link Muster}. */
    @ArchTest
    static final ArchRule theDoorAloneUsesTheAssembly = noClasses()
            .that()
            .resideOutsideOfPackage("dev.muster.internal.assembly")
            .and()
            .doNotBelongToAnyOf(Muster.class, MusterBuilder.class, ProcessChild.class)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.muster.internal.assembly");

    @ArchTest
    static final ArchRule internalsStayInTheirPackage = noClasses()
            .that()
            .resideOutsideOfPackages("dev.muster.internal.job..", "dev.muster.internal.assembly")
            .should()
            .dependOnClassesThat()
            .resideInAPackage("dev.muster.internal.job.engine..");

    /** So that the test kit can run attempts by the same rules without a node and without a database. */
    @ArchTest
    static final ArchRule theRulesOfAnAttemptKnowNoStore = noClasses()
            .that()
            .resideInAPackage("dev.muster.internal.attempt..")
            .should()
            .dependOnClassesThat()
            .areAssignableTo(ClaimStore.class)
            .orShould()
            .dependOnClassesThat()
            .areAssignableTo(ClaimSession.class)
            .orShould()
            .dependOnClassesThat()
            .resideInAPackage("javax.sql..");

    /** One way to open a transaction in which user code runs: {@link dev.muster.internal.node.HandlerTransactions}. */
    @ArchTest
    static final ArchRule nobodySwitchesAutocommit =
            noClasses().should().callMethod(java.sql.Connection.class, "setAutoCommit", boolean.class);

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

    /**
     * Who makes what is stored with a value of a user in it. Whoever is new here seals the value with {@code Payloads}, which takes nothing but
     * a {@code StorableJson}: a value that cannot grow when it is read.
     */
    @ArchTest
    static void valuesAreSealed(JavaClasses classes) {
        assertThat(makersOf(classes, NewJob.class)).containsExactlyInAnyOrder("RequestChecker", "NewJob");
        assertThat(makersOf(classes, Outcome.Completed.class))
                .as("RunContext and Completed copy, ClaimStore passes on, JobRun has none")
                .containsExactlyInAnyOrder(
                        "AttemptRules", "AttemptContext", "RunContext", "Completed", "ClaimStore", "JobRun");
        assertThat(makersOf(classes, CronDefinition.class))
                .as("CronSubsystem has none")
                .containsExactlyInAnyOrder("CronJobs", "CronSubsystem");
        assertThat(makersOf(classes, WorkflowStore.NewRun.class))
                .containsExactlyInAnyOrder("DatabaseWorkflows", "WorkflowEngine", "NewRun");
        assertThat(makersOf(classes, WorkflowStore.StepRow.class))
                .as("Branch has none, or what it has made itself")
                .containsExactlyInAnyOrder("StepCall", "Branch");
        assertThat(makersOf(classes, WorkflowStore.Ended.class)).containsExactly("Activation");
        assertThat(makersOf(classes, GraphStore.NewTask.class)).containsExactly("DatabaseGraphs");
    }

    private static Set<String> makersOf(JavaClasses classes, Class<?> made) {
        return classes.get(made).getConstructors().stream()
                .flatMap(constructor -> constructor.getCallsOfSelf().stream())
                .filter(call -> !(call.getOriginOwner().isEquivalentTo(made)
                        && call.getOrigin().isConstructor()))
                .map(call -> call.getOriginOwner().getSimpleName())
                .collect(Collectors.toSet());
    }

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
