package dev.weir.bluegreen.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.admission.head.TenantResolver;
import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicySettings;
import dev.weir.config.policy.RoutePolicy;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.routing.traffic.IndexRenamer;
import dev.weir.routing.traffic.IndexRenamer.Result;
import dev.weir.routing.traffic.RouteTable;
import dev.weir.testkit.fixtures.TestPolicies;
import dev.weir.testkit.fixtures.TestRequestHead;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Checks what docs/traffic.md says about its examples. */
final class TrafficDocTest {
  private static final Path DOC = Path.of("..", "docs", "traffic.md");
  private static final Pattern QUOTED = Pattern.compile("`([^`]*)`");

  private static TestRequestHead head(List<String> words) {
    String[] line = words.getFirst().split(" ", 2);
    TestRequestHead head = TestRequestHead.of(line[0], line[1]);
    for (String header : words.subList(1, words.size())) {
      String[] parts = header.split(": ", 2);
      head = head.with(parts[0], parts[1]);
    }
    return head;
  }

  /** Returns the chapter with this title. */
  private static String chapter(String title) throws IOException {
    String text = Files.readString(DOC);
    int from = text.indexOf("\n## " + title + "\n");
    assertThat(from).as(title).isPositive();
    int to = text.indexOf("\n## ", from + 4);
    return text.substring(from, to < 0 ? text.length() : to);
  }

  private static GatewayPolicy policy(String chapter) {
    int from = chapter.indexOf("```yaml\n") + 8;
    String yaml = chapter.substring(from, chapter.indexOf("```", from));
    return TestPolicies.parse(yaml);
  }

  /**
   * Returns the rows of the first table whose head starts so: the quoted text of the first cell,
   * and the last cell.
   */
  private static List<Map.Entry<List<String>, String>> table(String chapter, String head) {
    int from = chapter.indexOf("\n| " + head);
    assertThat(from).as(head).isPositive();
    List<Map.Entry<List<String>, String>> rows = new ArrayList<>();
    chapter
        .substring(from + 1)
        .lines()
        .takeWhile(line -> line.startsWith("|"))
        .skip(2)
        .forEach(line -> {
          String[] cells = line.substring(1, line.length() - 1).split("\\|", 2);
          Matcher quoted = QUOTED.matcher(cells[0]);
          List<String> words = new ArrayList<>();
          while (quoted.find()) {
            words.add(quoted.group(1));
          }
          rows.add(Map.entry(words, cells[1].strip()));
        });
    return rows;
  }

  @Test
  void findTheRoutes() throws IOException {
    String chapter = chapter("Routes");
    GatewayPolicy policy = policy(chapter);
    RouteTable table = new RouteTable(policy.routes());
    TenantResolver tenants = new TenantResolver(policy.admission().tenants());
    List<Map.Entry<List<String>, String>> rows = table(chapter, "request | route");
    assertThat(rows).hasSizeGreaterThan(10);
    rows.forEach(row -> {
      RoutePolicy found = table.match(new LazyRequestAttributes(head(row.getKey()), tenants));
      assertThat(found == null ? "none" : found.name())
          .as(row.getKey().toString())
          .isEqualTo(row.getValue());
    });
    assertThat(rows.stream().map(Map.Entry::getValue))
        .containsAll(policy.routes().stream().map(RoutePolicy::name).toList());
  }

  @Test
  void inheritKeysThatThePolicyLeavesOut() throws IOException {
    GatewayPolicy policy = policy(chapter("Inherited keys"));
    TrafficPolicy careful =
        Objects.requireNonNull(policy.policies().get("careful"), "no policy").traffic();
    assertThat(careful.weights()).isEqualTo(Map.of("blue", 1.0));
    assertThat(careful.shadow().targetCluster()).isEqualTo("green");
    assertThat(careful.shadow().samplePercent()).isEqualTo(100);
    assertThat(careful.shadow().tolerances().maxAggregationDifference()).isEqualTo(0.001);
  }

  @Test
  void inheritSettingsInPolicySections() throws IOException {
    GatewayPolicy policy = policy(chapter("Further sections of a policy"));
    PolicySettings quick = Objects.requireNonNull(policy.namedPolicySettings().get("quick"));
    PolicySettings dashboards =
        Objects.requireNonNull(policy.namedPolicySettings().get("dashboards"));
    assertThat(quick.deadline().defaultReadTimeout()).isEqualTo(Duration.ofMillis(500));
    assertThat(quick.deadline().maxTimeout()).isEqualTo(Duration.ofMinutes(1));
    assertThat(quick.trimming().profiles()).containsOnlyKeys("lean");
    assertThat(dashboards.trimming().rules()).isEmpty();
    assertThat(dashboards.coalescing().maxAge()).isEqualTo(Duration.ofSeconds(2));
    assertThat(quick.coalescing().indices()).isEmpty();
  }

  @Test
  void renameTheIndices() throws IOException {
    String chapter = chapter("Names of indices");
    GatewayPolicy policy = policy(chapter);
    IndexRenamer rename =
        new IndexRenamer(
            Objects.requireNonNull(policy.clusters().get("green"), "no green").indexRenames());
    List<Map.Entry<List<String>, String>> rows = table(chapter, "clients say |");
    assertThat(rows).hasSizeGreaterThan(5);
    rows.forEach(row -> {
      Result renamed = rename.renameUri(row.getKey().getFirst());
      if (row.getValue().startsWith("refused: ")) {
        assertThat(renamed).isInstanceOf(Result.Impossible.class);
      } else {
        assertThat(renamed).isEqualTo(new Result.Renamed(row.getValue().replace("`", "")));
      }
    });
  }
}
