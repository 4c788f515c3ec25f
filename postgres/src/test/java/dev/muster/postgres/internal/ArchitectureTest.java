package dev.muster.postgres.internal;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.ArrayList;
import java.util.List;

/** The order of the packages of this module, and what they may use. */
@AnalyzeClasses(packages = "dev.muster.postgres", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    /** Each package may use only those before it. The two roots, of which the internal one assembles the store, come last and may use any. */
    private static final List<String> ORDER = List.of(
            "db",
            "schema",
            "wakeup",
            "recovery",
            "claims",
            "admission",
            "jobs",
            "cluster",
            "crons",
            "workflows",
            "graphs",
            "batches",
            "ratelimits",
            "maintenance",
            "access",
            "events");

    @ArchTest
    static void packagesKeepTheirOrder(JavaClasses classes) {
        for (int i = 0; i < ORDER.size(); i++) {
            List<String> later = new ArrayList<>(List.of("dev.muster.postgres", "dev.muster.postgres.internal"));
            ORDER.subList(i + 1, ORDER.size()).forEach(name -> later.add("dev.muster.postgres.internal." + name));
            noClasses()
                    .that()
                    .resideInAPackage("dev.muster.postgres.internal." + ORDER.get(i))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(later.toArray(String[]::new))
                    .check(classes);
        }
    }

    @ArchTest
    static void everyPackageHasItsPlace(JavaClasses classes) {
        classes.stream()
                .map(JavaClass::getPackageName)
                .filter(name -> !name.equals("dev.muster.postgres") && !name.equals("dev.muster.postgres.internal"))
                .forEach(name -> assertThat(ORDER).contains(name.substring("dev.muster.postgres.internal.".length())));
    }

    /** Statements of Muster's own go through Database, those of user code through PostgresHandlerTransactions. */
    @ArchTest
    static final ArchRule transactionsBeginInOnePackage = noClasses()
            .that()
            .resideOutsideOfPackage("dev.muster.postgres.internal.db")
            .should()
            .callMethod(java.sql.Connection.class, "setAutoCommit", boolean.class);

    @ArchTest
    static final ArchRule packagesHaveNoCycles =
            slices().matching("dev.muster.(postgres..)").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule usesTheDriverAndNoFramework = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster..",
                    "java..",
                    "javax.sql..",
                    "javax.net..",
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
