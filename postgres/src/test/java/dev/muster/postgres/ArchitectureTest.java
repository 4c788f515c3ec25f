package dev.muster.postgres;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import java.util.ArrayList;
import java.util.List;

/** The order of the packages: each may use only those before it. */
@AnalyzeClasses(packages = "dev.muster.postgres", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    /** The root package, which assembles all of them, comes last and may use any. */
    private static final List<String> ORDER =
            List.of("db", "schema", "wakeup", "recovery", "claims", "jobs", "cluster", "crons", "upkeep");

    @ArchTest
    static void packagesKeepTheirOrder(JavaClasses classes) {
        for (int i = 0; i < ORDER.size(); i++) {
            List<String> later = new ArrayList<>(List.of("dev.muster.postgres"));
            ORDER.subList(i + 1, ORDER.size()).forEach(name -> later.add("dev.muster.postgres." + name));
            noClasses()
                    .that()
                    .resideInAPackage("dev.muster.postgres." + ORDER.get(i))
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(later.toArray(String[]::new))
                    .check(classes);
        }
    }
}
