package dev.weir.testkit.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.LocalDate;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.json.JsonXContent;

class SampleDataLoaderTest {
  private static final LocalDate DAY = LocalDate.of(2026, 3, 14);

  private static Map<String, Object> parse(String json) {
    return XContentHelper.convertToMap(JsonXContent.jsonXContent, json, false);
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> section(Map<String, Object> json, String name) {
    return (Map<String, Object>) Objects.requireNonNull(json.get(name), name);
  }

  @Test
  void productsAreOneLineOfJsonEachWithTheMappedFields() {
    ProductCatalogueIndex catalogue = new ProductCatalogueIndex(300, DAY);
    Map<String, Object> properties =
        section(section(parse(catalogue.creation(1)), "mappings"), "properties");

    assertThat(catalogue.documents().toList())
        .hasSize(300)
        .allSatisfy(document -> {
          assertThat(document.source()).doesNotContain("\n");
          assertThat(parse(document.source()).keySet()).isEqualTo(properties.keySet());
        });
    assertThat(catalogue.documents().map(SampleIndex.SampleDocument::id)).doesNotHaveDuplicates();
  }

  @Test
  void requestsAreInOrderWithinTheirDay() {
    AccessLogIndex log = new AccessLogIndex(DAY, 300);
    List<String> times =
        log.documents().map(each -> (String) parse(each.source()).get("@timestamp")).toList();

    assertThat(log.name()).isEqualTo("access-log-2026.03.14");
    assertThat(times).hasSize(300).allMatch(time -> time.startsWith("2026-03-14T"));
    assertThat(parse(log.creation(0))).containsKeys("settings", "aliases", "mappings");
  }

  @Test
  void generateTheSameDataAtEveryRun() {
    assertThat(new ProductCatalogueIndex(50, DAY).documents())
        .containsExactlyElementsOf(new ProductCatalogueIndex(50, DAY).documents().toList());
    assertThat(new AccessLogIndex(DAY, 50).documents())
        .containsExactlyElementsOf(new AccessLogIndex(DAY, 50).documents().toList());
  }
}
