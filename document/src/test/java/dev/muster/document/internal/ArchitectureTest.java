package dev.muster.document.internal;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The module uses core alone, without a JSON library, and reaches no store. */
@AnalyzeClasses(packages = "dev.muster.document.internal", importOptions = DoNotIncludeTests.class)
class ArchitectureTest {

    @ArchTest
    static final ArchRule usesCoreAlone =
            classes().should().onlyDependOnClassesThat().resideInAnyPackage("dev.muster..", "java..", "org.jspecify..");

    /** What is read here is checked and sealed by core before it is stored. */
    @ArchTest
    static final ArchRule storesNothing = noClasses()
            .should()
            .dependOnClassesThat()
            .resideInAnyPackage("dev.muster.internal.job.store..", "dev.muster.internal.job.engine..")
            .orShould()
            .dependOnClassesThat()
            .haveSimpleNameEndingWith("Store");
}
