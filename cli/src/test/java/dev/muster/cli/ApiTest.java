package dev.muster.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaAnnotation;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaConstructor;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameter;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.core.domain.JavaTypeVariable;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What users may touch: the public types of all jars outside packages that have a segment {@code internal}. Here because the command is built
 * after nearly all modules; the classes are read where the build has put them.
 */
class ApiTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path WRITTEN = Path.of("target", "api.txt");
    private static final int MOST_TYPES = 259;

    private static final List<String> JARS = List.of(
            "core",
            "document",
            "toml",
            "json-common",
            "json-jackson3",
            "json-jackson2",
            "contracts",
            "embedded",
            "postgres",
            "testkit",
            "opentelemetry",
            "micrometer",
            "spring-common",
            "spring-boot3-starter",
            "spring-boot4-starter",
            "gateway",
            "client",
            "cli");

    private static final Pattern IMPORTS_INTERNAL =
            Pattern.compile("import (?:static )?dev\\.muster\\.(?:\\w+\\.)*internal\\.[\\w.]+");

    /** The API's types by jar. */
    private static final Map<String, List<JavaClass>> api = new TreeMap<>();

    @BeforeAll
    static void read() {
        for (String jar : JARS) {
            Path classes = ROOT.resolve(jar).resolve("target/classes");
            assertThat(classes).as("build all modules first").isDirectory();
            JavaClasses all = new ClassFileImporter().importPath(classes);
            List<JavaClass> types = all.stream()
                    .filter(type -> !isInternal(type.getPackageName()))
                    .filter(ApiTest::isVisible)
                    .sorted((one, other) -> one.getName().compareTo(other.getName()))
                    .toList();
            api.put(jar, types);
        }
    }

    private static boolean isInternal(String name) {
        return name.startsWith("dev.muster") && List.of(name.split("[.$]")).contains("internal");
    }

    private static boolean isVisible(JavaClass type) {
        return !type.isAnonymousClass()
                && !type.isLocalClass()
                && !type.getSimpleName().equals("package-info")
                && isVisible(type.getModifiers())
                && type.getEnclosingClass().map(ApiTest::isVisible).orElse(true);
    }

    private static boolean isVisible(Set<JavaModifier> modifiers) {
        return (modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED))
                && !modifiers.contains(JavaModifier.SYNTHETIC)
                && !modifiers.contains(JavaModifier.BRIDGE);
    }

    @Test
    void theListOfTheApiIsWhatTheJarsHave() throws IOException {
        List<String> lines = new ArrayList<>();
        long types = api.values().stream()
                .flatMap(List::stream)
                .filter(JavaClass::isTopLevelClass)
                .map(JavaClass::getName)
                .distinct()
                .count();
        lines.add(
                "The API: public types outside of packages called internal, and their public and protected members. A test compares.");
        lines.add(types + " types, without those that are nested.");
        api.forEach((jar, found) -> {
            if (!found.isEmpty()) {
                lines.add("");
                lines.add("# " + jar + ": "
                        + found.stream().filter(JavaClass::isTopLevelClass).count());
                found.forEach(type -> {
                    lines.add(head(type));
                    lines.addAll(members(type));
                });
            }
        });
        String text = String.join("\n", lines) + "\n";
        Files.writeString(WRITTEN, text);

        Path kept = ROOT.resolve("docs/api.txt");
        assertThat(Files.exists(kept) ? Files.readString(kept) : "")
                .as("docs/api.txt is out of date; look at what changed, then run: cp cli/target/api.txt docs/api.txt")
                .isEqualTo(text);
        assertThat(types).as("types that users may touch").isLessThanOrEqualTo(MOST_TYPES);
    }

    @Test
    void noSignatureOfTheApiMentionsAnInternalType() {
        Set<String> found = new TreeSet<>();
        api.values()
                .forEach(types -> types.forEach(type -> {
                    mentionedBy(type)
                            .filter(ApiTest::isInternal)
                            .forEach(name -> found.add(type.getName() + ": " + name));
                    visibleMembers(type)
                            .forEach(member -> mentionedBy(member)
                                    .filter(ApiTest::isInternal)
                                    .forEach(name -> found.add(type.getName() + "." + member.getName() + ": " + name)));
                }));
        assertThat(found).as("what users touch must not lead behind the wall").isEmpty();
    }

    /** Examples, the programs of the docs and the guides for moving from other libraries do without what users must not touch. */
    @Test
    void nothingThatUsersReadImportsAnInternalType() throws IOException {
        Set<String> found = new TreeSet<>();
        for (String folder : List.of("README.md", "docs", "examples", "all", "testkit/README.md")) {
            try (Stream<Path> files = Files.walk(ROOT.resolve(folder))) {
                for (Path file : files.filter(ApiTest::isRead).toList()) {
                    IMPORTS_INTERNAL
                            .matcher(Files.readString(file))
                            .results()
                            .forEach(what -> found.add(ROOT.relativize(file) + ": " + what.group()));
                }
            }
        }
        assertThat(found).isEmpty();
    }

    /** What Java's module system asks of jars that are to become modules. */
    @Test
    void eachJarHasANameAndItsPackagesAlone() throws IOException {
        Map<String, Set<String>> jars = new TreeMap<>();
        for (String jar : JARS) {
            String pom = Files.readString(ROOT.resolve(jar).resolve("pom.xml"));
            assertThat(pom).as(jar).contains("<automatic.module.name>dev.muster.");
            for (JavaClass type :
                    new ClassFileImporter().importPath(ROOT.resolve(jar).resolve("target/classes"))) {
                jars.computeIfAbsent(type.getPackageName(), name -> new TreeSet<>())
                        .add(jar);
            }
        }
        jars.remove("dev.muster.spring.boot");
        assertThat(jars).allSatisfy((name, in) -> assertThat(in).as(name).hasSize(1));
    }

    private static boolean isRead(Path file) {
        String name = file.toString();
        return Files.isRegularFile(file)
                && !name.contains("/target/")
                && (name.endsWith(".md") || name.endsWith(".java") || name.endsWith(".kt"));
    }

    private static Stream<String> mentionedBy(JavaClass type) {
        Set<String> names = new LinkedHashSet<>();
        type.getSuperclass().ifPresent(parent -> add(names, parent));
        type.getInterfaces().forEach(parent -> add(names, parent));
        type.getTypeParameters().forEach(parameter -> add(names, parameter));
        type.getAnnotations().forEach(annotation -> add(names, annotation));
        return names.stream();
    }

    private static Stream<String> mentionedBy(JavaMember member) {
        Set<String> names = new LinkedHashSet<>();
        member.getAnnotations().forEach(annotation -> add(names, annotation));
        if (member instanceof JavaField field) {
            add(names, field.getType());
        } else if (member instanceof JavaCodeUnit code) {
            add(names, code.getReturnType());
            code.getParameterTypes().forEach(type -> add(names, type));
            code.getTypeParameters().forEach(type -> add(names, type));
            code.getExceptionTypes().forEach(type -> add(names, type));
            for (JavaParameter parameter : code.getParameters()) {
                parameter.getAnnotations().forEach(annotation -> add(names, annotation));
            }
        }
        return names.stream();
    }

    private static void add(Set<String> names, JavaAnnotation<?> annotation) {
        add(names, annotation.getRawType());
    }

    private static void add(Set<String> names, JavaType type) {
        type.getAllInvolvedRawTypes()
                .forEach(raw -> names.add(raw.getBaseComponentType().getName()));
    }

    private static Stream<JavaMember> visibleMembers(JavaClass type) {
        return Stream.<Collection<? extends JavaMember>>of(type.getFields(), type.getConstructors(), type.getMethods())
                .flatMap(Collection::stream)
                .map(JavaMember.class::cast)
                .filter(member -> isVisible(member.getModifiers()))
                .filter(member -> !isOfEveryType(type, member));
    }

    private static boolean isOfEveryType(JavaClass type, JavaMember member) {
        Set<String> names = type.isEnum()
                ? Set.of("equals", "hashCode", "toString", "values", "valueOf")
                : Set.of("equals", "hashCode", "toString", "serialVersionUID");
        return names.contains(member.getName());
    }

    private static String head(JavaClass type) {
        String parents = Stream.concat(
                        type.getSuperclass().stream()
                                .filter(parent -> !Set.of("java.lang.Object", "java.lang.Record", "java.lang.Enum")
                                        .contains(parent.toErasure().getName())),
                        type.getInterfaces().stream()
                                .filter(parent -> !parent.getName().equals("java.lang.annotation.Annotation")))
                .map(ApiTest::text)
                .collect(Collectors.joining(", "));
        return modifiers(type.getModifiers(), !type.isInterface() && !type.isEnum() && !type.isRecord()) + kind(type)
                + " " + type.getName() + parameters(type.getTypeParameters())
                + (parents.isEmpty() ? "" : " : " + parents);
    }

    private static String kind(JavaClass type) {
        return type.isAnnotation()
                ? "@interface"
                : type.isInterface() ? "interface" : type.isEnum() ? "enum" : type.isRecord() ? "record" : "class";
    }

    private static List<String> members(JavaClass type) {
        return visibleMembers(type)
                .map(member -> "  " + type.getName() + line(type, member))
                .sorted()
                .toList();
    }

    private static String line(JavaClass type, JavaMember member) {
        String modifiers = modifiers(member.getModifiers(), !type.isInterface());
        if (member instanceof JavaField field) {
            return "." + field.getName() + ": " + modifiers + text(field.getType());
        }
        JavaCodeUnit code = (JavaCodeUnit) member;
        String thrown = code.getExceptionTypes().stream().map(ApiTest::text).collect(Collectors.joining(", "));
        String name = code instanceof JavaConstructor ? "" : "." + code.getName();
        String result = code instanceof JavaMethod method
                ? ": " + modifiers + text(method.getReturnType())
                : ": " + modifiers + "new";
        return name + parameters(code.getTypeParameters()) + "("
                + code.getParameterTypes().stream().map(ApiTest::text).collect(Collectors.joining(", ")) + ")" + result
                + (thrown.isEmpty() ? "" : " throws " + thrown);
    }

    private static String modifiers(Set<JavaModifier> modifiers, boolean ofClass) {
        return Stream.of(JavaModifier.PROTECTED, JavaModifier.STATIC, JavaModifier.ABSTRACT, JavaModifier.FINAL)
                .filter(modifiers::contains)
                .filter(modifier -> ofClass || modifier == JavaModifier.STATIC)
                .map(modifier -> modifier.name().toLowerCase(Locale.ROOT) + " ")
                .collect(Collectors.joining());
    }

    private static String parameters(List<? extends JavaTypeVariable<?>> parameters) {
        return parameters.isEmpty()
                ? ""
                : parameters.stream()
                        .map(parameter -> parameter.getName()
                                + parameter.getUpperBounds().stream()
                                        .map(ApiTest::text)
                                        .filter(bound -> !bound.equals("Object"))
                                        .collect(Collectors.joining(" & ", " extends ", ""))
                                        .replaceFirst(" extends $", ""))
                        .collect(Collectors.joining(", ", "<", ">"));
    }

    private static String text(JavaType type) {
        return type.getName().replaceAll("\\bjava\\.lang\\.(?=[A-Z])", "");
    }
}
