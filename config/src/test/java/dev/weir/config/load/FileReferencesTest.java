package dev.weir.config.load;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.GatewayPolicy;
import dev.weir.config.policy.PolicyTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Values that are stored in other files. */
final class FileReferencesTest {
  @TempDir private Path folder;

  private static LoadResult parse(String more) {
    return new PolicyLoader(Map.of())
        .parse("weir.yaml", "clusters: {main: {seeds: [\"127.0.0.1:9301\"]}}\n" + more);
  }

  private String kept(String name, String value) throws IOException {
    return "${file:" + Files.writeString(folder.resolve(name), value) + "}";
  }

  private static String problem(String more) {
    LoadResult.Invalid refused = (LoadResult.Invalid) parse(more);
    assertThat(refused.problems()).hasSize(1);
    return refused.render();
  }

  @Test
  void readAValueWithoutTheTrailingNewline() throws IOException {
    String header = kept("header", "X-Who\n");
    String weight = kept("weight", "4\r\n");
    LoadResult.Loaded loaded =
        (LoadResult.Loaded)
            parse(
                "admission: {tenants: {source: header, header: '"
                    + header
                    + "', weights: {gold: '"
                    + weight
                    + "'}}}\n");

    assertThat(loaded.policy().admission().tenants().header()).isEqualTo("X-Who");
    assertThat(loaded.policy().admission().tenants().weights()).containsEntry("gold", 4.0);
    assertThat(loaded.fileReferences().keys())
        .containsExactlyInAnyOrder("admission.tenants.header", "admission.tenants.weights.gold");
    assertThat(loaded.fileReferences().files())
        .containsExactlyInAnyOrder(folder.resolve("header"), folder.resolve("weight"));
    assertThat(shown(loaded))
        .doesNotContain("X-Who")
        .contains("header=<redacted>", "gold=<redacted>");
  }

  private static String shown(LoadResult.Loaded loaded) {
    GatewayPolicy policy = loaded.policy();
    return PolicyTree.toMap(policy, loaded.fileReferences().keys()).toString();
  }

  @Test
  void entriesOfListsAreHiddenToo() throws IOException {
    String address = kept("address", "gw.example.org:9200");
    LoadResult.Loaded loaded =
        (LoadResult.Loaded)
            parse("http: {sniffing: {gateway-addresses: ['" + address + "', 'b:9200']}}");
    assertThat(shown(loaded)).contains("[<redacted>, b:9200]");
  }

  @Test
  void keepFileContentsOutOfMessages() throws IOException {
    assertThat(problem("routing: {score-jitter-ratio: '" + kept("secret", "hunter2") + "'}\n"))
        .contains("got a value from a file (expected: a number): routing.score-jitter-ratio")
        .doesNotContain("hunter2");
    String header = kept("header", "hunter 2");
    assertThat(problem("admission: {tenants: {source: header, header: '" + header + "'}}\n"))
        .contains("got a value from a file (expected: the name of a header, such as X-Tenant)")
        .doesNotContain("hunter");
  }

  @Test
  void reportAMissingFileAndWatchIt() {
    Path nowhere = folder.resolve("nowhere");
    LoadResult result = parse("routing:\n  score-jitter-ratio: ${file:" + nowhere + "}\n");
    assertThat(((LoadResult.Invalid) result).render())
        .contains(":3:23: got ${file:" + nowhere + "}, which is not there (expected: a file")
        .contains("  3 |   score-jitter-ratio: ${file:")
        .contains("^^^^^^");
    assertThat(result.fileReferences().files()).containsExactly(nowhere);
    assertThat(problem("routing: {score-jitter-ratio: '${file:" + folder + "}'}\n"))
        .contains("is no file");
  }

  @Test
  void showALineThatRefersToAFile() {
    String text =
        "clusters:\n  main:\n    seeds: ['h:1']\n    rest-tls:\n      key-password: ${NO_SUCH}\n";
    LoadResult.Invalid refused =
        (LoadResult.Invalid) new PolicyLoader(Map.of()).parse("w.yaml", text);
    assertThat(refused.render())
        .contains("  5 |       key-password: ${NO_SUCH}\n")
        .contains("    |                     ^^^^^^^^^^\n");
    for (String open : List.of("hunter2", "${NO_SUCH:-hunter2}", "{a: hunter2}")) {
      LoadResult result =
          new PolicyLoader(Map.of())
              .parse("w.yaml", text.replace("${NO_SUCH}", open).replace("seeds", "seed"));
      assertThat(((LoadResult.Invalid) result).render()).doesNotContain("hunter2");
    }
  }
}
