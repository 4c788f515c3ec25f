package dev.muster.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.constructors;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/** Here because the command depends on nearly all modules. */
@AnalyzeClasses(packages = "dev.muster", importOptions = DoNotIncludeTests.class)
class ConstructorsTest {
    private static final int MOST = 8;

    /** What always travels together is a record, under a name that says what it is. */
    @ArchTest
    static final ArchRule aConstructorHasFewParameters = constructors()
            .should(new ArchCondition<JavaConstructor>("have at most " + MOST + " parameters") {
                @Override
                public void check(JavaConstructor constructor, ConditionEvents events) {
                    boolean few = isOfData(constructor) || parameters(constructor) <= MOST;
                    events.add(new SimpleConditionEvent(
                            constructor, few, constructor.getFullName() + " has " + parameters(constructor)));
                }
            });

    /** Records, and classes of values whose constructor nobody but their builder calls. */
    private static boolean isOfData(JavaConstructor constructor) {
        JavaClass owner = constructor.getOwner();
        return owner.isRecord()
                || owner.isAnonymousClass()
                || owner.isLocalClass()
                || constructor.getModifiers().contains(JavaModifier.PRIVATE) && (hasBuilder(owner) || isBuilder(owner));
    }

    private static boolean hasBuilder(JavaClass owner) {
        return owner.getMethods().stream().anyMatch(method -> isBuilder(method.getRawReturnType()));
    }

    private static boolean isBuilder(JavaClass type) {
        return type.getSimpleName().equals("Builder") && type.isNestedClass();
    }

    /** Without those that only the compiled class has. */
    private static int parameters(JavaConstructor constructor) {
        JavaClass owner = constructor.getOwner();
        int hidden = owner.isEnum() ? 2 : owner.isInnerClass() ? 1 : 0;
        return constructor.getRawParameterTypes().size() - hidden;
    }
}
