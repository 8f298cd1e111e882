package dev.weir.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.NodeRequestRules;
import dev.weir.model.NodeRequestRules.Limits;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;

class NodeRequestRulesReaderTest {
  private static final long HEAP = 512L << 20;
  private static final NodeRequestRules ALL =
      read(
          Settings.builder()
              .put("rest.action.multi.allow_explicit_index", false)
              .put("http.detailed_errors.enabled", false)
              .put("http.cors.enabled", true)
              .put("http.reset_cookies", true)
              .put("http.max_content_length", "1mb")
              .put("http.max_header_size", "2kb")
              .put("http.max_initial_line_length", "1kb")
              .put("http.max_warning_header_count", 3)
              .put("http.max_warning_header_size", "4kb")
              .build());

  private static NodeRequestRules read(Settings settings) {
    return NodeRequestRulesReader.read(settings, Version.CURRENT, HEAP);
  }

  @Test
  void readEverySetting() {
    assertThat(ALL)
        .isEqualTo(
            new NodeRequestRules(
                true, false, false, true, true, new Limits(1 << 20, 2048, 1024, 3, 4096, HEAP)));
  }

  @Test
  void assumeANodesDefaults() {
    assertThat(NodeRequestRulesReader.read(Settings.EMPTY, Version.CURRENT, Long.MAX_VALUE))
        .isEqualTo(NodeRequestRules.DEFAULT);
    assertThat(
            NodeRequestRulesReader.read(Settings.EMPTY, Version.V_2_19_0, HEAP)
                .limits()
                .maxHeaderBytes())
        .isEqualTo(8192);
  }

  @Test
  void takeTheStrictestValueOfNodesThatDiffer() {
    assertThat(NodeRequestRulesReader.strictest(List.of(NodeRequestRules.DEFAULT, ALL)))
        .isEqualTo(ALL);
    assertThat(NodeRequestRulesReader.strictest(List.of(ALL, NodeRequestRules.DEFAULT)))
        .isEqualTo(ALL);
  }

  @Test
  void takeTheStrictestValueWhereOneCannotBeParsed() {
    NodeRequestRules rules =
        read(
            Settings.builder()
                .put("rest.action.multi.allow_explicit_index", "perhaps")
                .put("http.max_content_length", "much")
                .build());

    assertThat(rules.allowsExplicitIndex()).isFalse();
    assertThat(rules.limits().maxContentBytes()).isZero();
  }

  @Test
  void allowNothingBeforeANodeReports() {
    NodeRequestRules unknown = NodeRequestRulesReader.strictest(List.of());

    assertThat(unknown.isKnown()).isFalse();
    assertThat(unknown.allowsExplicitIndex()).isFalse();
  }
}
