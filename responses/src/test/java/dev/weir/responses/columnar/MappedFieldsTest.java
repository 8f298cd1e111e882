package dev.weir.responses.columnar;

import static dev.weir.responses.columnar.ColumnarFixture.cluster;
import static dev.weir.responses.columnar.ColumnarFixture.mapping;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.responses.columnar.MappedFields.MappedField;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class MappedFieldsTest {
  private static MappedField find(MappedFields fields, String path) {
    return Objects.requireNonNull(fields.find(path), path);
  }

  @Test
  void readsObjectsAsPaths() {
    MappedFields fields =
        mapping(
            "{\"a\":{\"properties\":{\"b\":{\"type\":\"object\",\"properties\":"
                + "{\"c\":{\"type\":\"long\"}}}}},\"empty\":{\"type\":\"object\"}}");
    assertThat(find(fields, "a.b.c")).isEqualTo(new MappedField("long", "", true));
    assertThat(fields.find("a.b")).isNull();
    assertThat(fields.hasSubfields("a")).isTrue();
    assertThat(fields.hasSubfields("a.b")).isTrue();
    assertThat(fields.hasSubfields("a.b.c")).isFalse();
    assertThat(fields.isSingleValue("a.b")).isFalse();
    assertThat(fields.size()).isOne();
  }

  @Test
  void nestedAndDisabledObjectsAreOneValue() {
    MappedFields fields =
        mapping(
            "{\"n\":{\"type\":\"nested\",\"properties\":{\"x\":{\"type\":\"long\"}}},"
                + "\"off\":{\"type\":\"object\",\"enabled\":false}}");
    assertThat(fields.isSingleValue("n")).isTrue();
    assertThat(find(fields, "n").type()).isEqualTo("nested");
    assertThat(find(fields, "n.x")).isEqualTo(new MappedField("long", "", false));
    assertThat(fields.isSingleValue("off")).isTrue();
    assertThat(fields.hasSubfields("off")).isFalse();
  }

  @Test
  void subFieldsAndAliasesAreNotInDocuments() {
    MappedFields fields =
        mapping(
            "{\"t\":{\"type\":\"text\",\"fields\":{\"raw\":{\"type\":\"keyword\"}}},"
                + "\"other\":{\"type\":\"alias\",\"path\":\"t\"},"
                + "\"o\":{\"properties\":{\"d\":{\"type\":\"date\",\"format\":\"yyyy\"}}},"
                + "\"when\":{\"type\":\"alias\",\"path\":\"o.d\"}}");
    assertThat(find(fields, "t")).isEqualTo(new MappedField("text", "", true));
    assertThat(find(fields, "t.raw")).isEqualTo(new MappedField("keyword", "", false));
    assertThat(find(fields, "other")).isEqualTo(new MappedField("text", "", false));
    assertThat(find(fields, "o.d")).isEqualTo(new MappedField("date", "yyyy", true));
    assertThat(find(fields, "when")).isEqualTo(new MappedField("date", "yyyy", false));
  }

  @Test
  void unknownIndicesHaveNoFields() {
    MappedFieldsCache cache = new MappedFieldsCache(cluster(Map.of("a", "{}")));
    assertThat(cache.fieldsOf("a").size()).isZero();
    assertThat(cache.fieldsOf("deleted")).isSameAs(MappedFields.NONE);
    assertThat(MappedFields.from(null)).isSameAs(MappedFields.NONE);
  }

  @Test
  void indicesWithOneMappingShareItsFields() {
    String same = "{\"a\":{\"type\":\"long\"}}";
    MappedFieldsCache cache = new MappedFieldsCache(cluster(Map.of("one", same, "two", same)));
    assertThat(cache.fieldsOf("one")).isSameAs(cache.fieldsOf("one"));
    assertThat(cache.fieldsOf("two").size()).isOne();
  }
}
