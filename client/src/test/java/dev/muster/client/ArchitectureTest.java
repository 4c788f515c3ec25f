package dev.muster.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The client is small: core, and what Java brings along. */
@AnalyzeClasses(packages = "dev.muster.client", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesNothingElse = classes()
            .should()
            .onlyDependOnClassesThat()
            .resideInAnyPackage("dev.muster..", "java..", "javax.net.ssl..", "org.jspecify..");

    @ArchTest
    static final ArchRule staysOutside = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage(
                    "dev.muster.internal.job.engine..",
                    "dev.muster.internal.job.store..",
                    "dev.muster.gateway..",
                    "dev.muster.postgres..");
}
