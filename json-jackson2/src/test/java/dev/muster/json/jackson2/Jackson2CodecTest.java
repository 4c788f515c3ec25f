package dev.muster.json.jackson2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonSubTypes;
import com.fasterxml.jackson.annotation.JsonTypeInfo;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.module.SimpleModule;
import dev.muster.contracts.JsonCodecContract;
import dev.muster.runtime.JsonCodec;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class Jackson2CodecTest extends JsonCodecContract {
    private final JsonCodec codec = new Jackson2Codec();

    @Override
    protected JsonCodec codec() {
        return codec;
    }

    @JsonTypeInfo(use = JsonTypeInfo.Id.NAME, property = "kind")
    @JsonSubTypes({
        @JsonSubTypes.Type(value = Circle.class, name = "circle"),
        @JsonSubTypes.Type(value = Square.class, name = "square")
    })
    interface Shape {}

    record Circle(double radius) implements Shape {}

    record Square(double side) implements Shape {}

    record Drawing(List<Shape> shapes) {}

    @JsonTypeInfo(use = JsonTypeInfo.Id.CLASS)
    interface ByClass {}

    record Gadget(String name) implements ByClass {}

    record Annotated(
            @JsonProperty(value = "theName", required = true)
            String name,

            @JsonFormat(shape = JsonFormat.Shape.NUMBER) Instant at) {}

    @Test
    void writesAndReadsTypeNames() {
        Drawing drawing = new Drawing(List.of(new Circle(1), new Square(2)));
        String json = codec.write(drawing);
        assertThat(json)
                .isEqualTo("{\"shapes\":[{\"kind\":\"circle\",\"radius\":1.0},{\"kind\":\"square\",\"side\":2.0}]}");
        assertThat(codec.read(json, Drawing.class)).isEqualTo(drawing);
        assertThat(codec.write(new Circle(1))).isEqualTo("{\"kind\":\"circle\",\"radius\":1.0}");
    }

    @Test
    void saysWhichTypeNamesThereAre() {
        assertThat(messageOf(() -> codec.read("{\"shapes\":[{\"kind\":\"star\"}]}", Drawing.class)))
                .isEqualTo("shapes[0]: unknown type \"star\"; known are circle, square");
        assertThat(messageOf(() -> codec.read("{\"shapes\":[{\"radius\":1}]}", Drawing.class)))
                .isEqualTo("shapes[0]: the property kind, which names the type, is missing");
        assertThat(messageOf(() -> codec.read("{\"shapes\":[{\"kind\":\"circle\"}]}", Drawing.class)))
                .isEqualTo("shapes[0].radius is missing");
        assertThat(messageOf(
                        () -> codec.check("{\"shapes\":[{\"radius\":1,\"x\":2,\"kind\":\"circle\"}]}", Drawing.class)))
                .isEqualTo("unknown property shapes[0].x; known are radius");
    }

    @Test
    void refusesClassNames() {
        assertThat(messageOf(() -> codec.write(new Gadget("x"))))
                .isEqualTo("@JsonTypeInfo of Gadget puts class names into JSON, which is not allowed;"
                        + " use JsonTypeInfo.Id.NAME");
        assertThat(messageOf(() -> codec.read("{\"@class\":\"x\"}", ByClass.class)))
                .isEqualTo("@JsonTypeInfo of ByClass puts class names into JSON, which is not allowed;"
                        + " use JsonTypeInfo.Id.NAME");
    }

    @Test
    void followsAnnotationsOfTheUser() {
        Annotated value = new Annotated("x", Instant.ofEpochSecond(1700000000));
        String json = codec.write(value);
        assertThat(json).isEqualTo("{\"theName\":\"x\",\"at\":1700000000.000000000}");
        assertThat(codec.read(json, Annotated.class)).isEqualTo(value);
        assertThat(messageOf(() -> codec.read("{\"at\":1}", Annotated.class))).isEqualTo("theName is missing");
    }

    @Test
    void usesAMapperAsItIs() {
        record Camel(String someName) {}
        JsonCodec own = new Jackson2Codec(JsonMapper.builder().build());
        assertThat(own.write(new Camel("x"))).isEqualTo("{\"someName\":\"x\"}");
        assertThat(own.read("{\"someName\":\"x\",\"other\":1}", Camel.class)).isEqualTo(new Camel("x"));
        assertThat(messageOf(() -> own.check("{\"someName\":\"x\",\"other\":1}", Camel.class)))
                .isEqualTo("unknown property other; known are someName");
    }

    @Test
    void aMapperOfTheUserKeepsTheOrderOfSetsAndStaysAsItWas() throws Exception {
        JsonMapper mapper = JsonMapper.builder().build();
        keepsTheOrderOfSets(new Jackson2Codec(mapper));
        assertThat((Object) mapper.readValue("[1]", Set.class)).isExactlyInstanceOf(HashSet.class);

        JsonMapper sorting = JsonMapper.builder()
                .addModule(new SimpleModule("sorting").addAbstractTypeMapping(Set.class, TreeSet.class))
                .build();
        assertThat(new Jackson2Codec(sorting).read("[2,1]", Set.class)).isInstanceOf(TreeSet.class);
    }

    @Test
    void saysThatAMapperCannotBeCopied() {
        ObjectMapper uncopied = new ObjectMapper() {
            private static final long serialVersionUID = 1L;
        };
        assertThatThrownBy(() -> new Jackson2Codec(uncopied))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be copied: let it override copy()");
    }
}
