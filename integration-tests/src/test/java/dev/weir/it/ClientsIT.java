package dev.weir.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.apache.hc.core5.http.HttpHost;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.client.json.jackson.JacksonJsonpMapper;
import org.opensearch.client.opensearch.OpenSearchClient;
import org.opensearch.client.opensearch._types.OpenSearchException;
import org.opensearch.client.opensearch._types.Refresh;
import org.opensearch.client.opensearch._types.SortOrder;
import org.opensearch.client.opensearch.core.BulkResponse;
import org.opensearch.client.opensearch.core.SearchResponse;
import org.opensearch.client.transport.OpenSearchTransport;
import org.opensearch.client.transport.httpclient5.ApacheHttpClient5TransportBuilder;

/** Official clients work unmodified through the gateway. */
@Drawn(oneIn = 3)
class ClientsIT {
  private static final String INDEX = "java-products";
  private static final String PACKAGES = "packages";

  /** The searched products. */
  public record Product(int number, String colour) {}

  @Test
  void opensearchPy(@TempDir Path folder) throws Exception {
    install(folder, "opensearch-py");
    try (TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds())) {
      Run scenario =
          run(folder, "python3", resource("opensearch_py_scenario.py"), bed.uri().toString());
      assertThat(scenario.output()).endsWith("scenario passed\n");
    }
  }

  @Test
  void opensearchJs(@TempDir Path folder) throws Exception {
    Run node = run(folder, "node", "--version");
    assumeTrue(node.ok(), "node is missing here: " + node.output());
    Run installed =
        run(
            folder,
            "npm",
            "install",
            "--no-audit",
            "--no-fund",
            "--loglevel=error",
            "--fetch-retries=0",
            "--prefix",
            folder.toString(),
            "@opensearch-project/opensearch");
    assumeTrue(installed.ok(), "opensearch-js can't be installed here: " + installed.output());
    try (TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds())) {
      Run scenario =
          run(folder, "node", resource("opensearch_js_scenario.js"), bed.uri().toString());
      assertThat(scenario.output()).endsWith("scenario passed\n");
    }
  }

  /** Uses the installed pip, or that of a new virtual environment. */
  private static void install(Path folder, String what) throws Exception {
    Run installed = run(folder, pip("python3", what));
    if (!installed.ok()) {
      Run made = run(folder, "python3", "-m", "venv", "venv");
      assumeTrue(made.ok(), "python3 with pip or venv is missing here: " + made.output());
      installed = run(folder, pip(folder.resolve("venv/bin/python").toString(), what));
    }
    assumeTrue(installed.ok(), what + " can't be installed here: " + installed.output());
  }

  private static String[] pip(String python, String what) {
    return new String[] {
      python, "-m", "pip", "install", "-q", "--no-compile", "--target", PACKAGES, what
    };
  }

  @Test
  void opensearchJava() throws IOException {
    try (TestBed bed = TestBed.inFrontOf(SharedCluster.get().seeds());
        OpenSearchTransport transport =
            ApacheHttpClient5TransportBuilder.builder(
                    new HttpHost("http", "127.0.0.1", bed.uri().getPort()))
                .setMapper(new JacksonJsonpMapper())
                .build()) {
      OpenSearchClient client = new OpenSearchClient(transport);
      client.indices().delete(d -> d.index(INDEX).ignoreUnavailable(true));
      writes(client);
      reads(client);
      client.indices().delete(d -> d.index(INDEX));
    }
  }

  private static void writes(OpenSearchClient client) throws IOException {
    client
        .indices()
        .create(c ->
            c.index(INDEX)
                .mappings(m -> m.properties("colour", p -> p.keyword(k -> k)))
                .settings(s -> s.numberOfShards(3)));
    BulkResponse bulk =
        client.bulk(b -> {
          b.index(INDEX).refresh(Refresh.WaitFor);
          for (int i = 0; i < 100; i++) {
            Product source = new Product(i, i % 2 == 0 ? "red" : "blue");
            String id = Integer.toString(i);
            b.operations(o -> o.index(x -> x.id(id).document(source)));
          }
          return b;
        });
    assertThat(bulk.errors()).isFalse();
    assertThat(bulk.items()).hasSize(100).allMatch(item -> item.status() == 201);
    client.update(u -> u.index(INDEX).id("1").doc(new Product(1, "violet")), Product.class);
    client.delete(d -> d.index(INDEX).id("2").refresh(Refresh.True));
  }

  private static void reads(OpenSearchClient client) throws IOException {
    SearchResponse<Product> found = search(client);
    assertThat(Objects.requireNonNull(found.hits().total()).value()).isEqualTo(49);
    assertThat(found.hits().hits()).extracting(hit -> hit.id()).containsExactly("98", "96", "94");
    assertThat(
            Objects.requireNonNull(found.aggregations().get("colours")).sterms().buckets().array())
        .singleElement()
        .satisfies(bucket -> assertThat(bucket.docCount()).isEqualTo(49));
    assertThat(client.count(c -> c.index(INDEX)).count()).isEqualTo(99);
    assertThat(client.get(g -> g.index(INDEX).id("1"), Product.class).source())
        .isEqualTo(new Product(1, "violet"));
    assertThat(client.mget(m -> m.index(INDEX).ids(List.of("1", "2")), Product.class).docs())
        .extracting(document -> document.result().found())
        .containsExactly(true, false);
    assertThatThrownBy(() -> client.search(s -> s.index("java-nowhere"), Product.class))
        .isInstanceOfSatisfying(
            OpenSearchException.class, e -> assertThat(e.status()).isEqualTo(404));
  }

  private static SearchResponse<Product> search(OpenSearchClient client) throws IOException {
    return client.search(
        s ->
            s.index(INDEX)
                .query(q -> q.term(t -> t.field("colour").value(v -> v.stringValue("red"))))
                .sort(o -> o.field(f -> f.field("number").order(SortOrder.Desc)))
                .size(3)
                .aggregations("colours", a -> a.terms(t -> t.field("colour"))),
        Product.class);
  }

  /** The result of a command. */
  private record Run(boolean ok, String output) {}

  private static Run run(Path folder, String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    Process process;
    try {
      ProcessBuilder builder =
          new ProcessBuilder(command)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(output.toFile());
      builder.environment().put("PYTHONPATH", folder.resolve(PACKAGES).toString());
      builder.environment().put("NODE_PATH", folder.resolve("node_modules").toString());
      process = builder.start();
    } catch (IOException missing) {
      return new Run(false, String.valueOf(missing.getMessage()));
    }
    if (!process.waitFor(3, TimeUnit.MINUTES)) {
      process.destroyForcibly();
      return new Run(false, String.join(" ", command) + " took over 3 minutes");
    }
    return new Run(process.exitValue() == 0, Files.readString(output, StandardCharsets.UTF_8));
  }

  private static String resource(String name) throws URISyntaxException {
    URL found = Objects.requireNonNull(ClientsIT.class.getResource("/clients/" + name), name);
    return Path.of(found.toURI()).toString();
  }
}
