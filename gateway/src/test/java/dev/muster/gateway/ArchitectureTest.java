package dev.muster.gateway;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

@AnalyzeClasses(packages = "dev.muster.gateway", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    /** So that a route is data and a function, which any server could serve. */
    @ArchTest
    static final ArchRule routesKnowNoServer = noClasses()
            .that()
            .resideInAnyPackage(
                    "dev.muster.gateway.internal.rest..",
                    "dev.muster.gateway.internal.route..",
                    "dev.muster.gateway.internal.rpc..",
                    "dev.muster.gateway.internal.auth..",
                    "dev.muster.gateway.internal.openapi..")
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("io.javalin..", "org.eclipse.jetty..", "jakarta.servlet..");

    @ArchTest
    static final ArchRule noSql = noClasses()
            .should()
            .callMethod(java.sql.Connection.class, "prepareStatement", String.class)
            .orShould()
            .callMethod(java.sql.Connection.class, "createStatement");

    @ArchTest
    static final ArchRule noCycles =
            slices().matching("dev.muster.gateway.internal.(*)..").should().beFreeOfCycles();
}
