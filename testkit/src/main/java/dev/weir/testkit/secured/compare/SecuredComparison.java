package dev.weir.testkit.secured.compare;

import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.secured.SecuredCluster;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Sends generated requests to a node of a secured cluster and to a gateway in front of it, and
 * compares status and body. Several lanes run at once, each with an index and a data stream of its
 * own for writes to either endpoint.
 */
public final class SecuredComparison {
  private static final int PROGRESS = 10_000;
  private static final String DRAFT_MAPPING =
      """
      {"settings": {"number_of_shards": 2, "auto_expand_replicas": "0-1"},
       "mappings": {"properties": {
         "order": {"type": "keyword"}, "region": {"type": "keyword"},
         "amount": {"type": "integer"}}}}
      """;

  private static final String STREAM_TEMPLATE = "/_index_template/events-lane";

  /** With one shard a document whose id a node makes up gets the same number on each endpoint. */
  private static final String ONE_SHARD =
      """
      {"index_patterns": ["%s*"], "data_stream": {}, "priority": 10,
       "template": {"settings": {"number_of_shards": 1, "auto_expand_replicas": "0-1"}}}
      """
          .formatted(ComparedEndpointClient.STREAM_PREFIX);

  private final SecuredCluster cluster;
  private final URI gateway;
  private final Consumer<String> progress;
  private final AtomicInteger requests = new AtomicInteger();
  private final ResponseComparison comparison = new ResponseComparison();

  /**
   * Creates a comparison.
   *
   * @param cluster with the documents of {@link dev.weir.testkit.secured.SecuredSampleData}
   * @param gateway the REST endpoint; with TLS it has a certificate of the cluster's authority
   * @param progress receives a line now and then
   */
  public SecuredComparison(SecuredCluster cluster, URI gateway, Consumer<String> progress) {
    this.cluster = cluster;
    this.gateway = gateway;
    this.progress = progress;
  }

  /**
   * Runs until so many requests were sent, and deletes what it wrote.
   *
   * @param documents to load into each index that requests read
   */
  public SecuredComparisonReport run(long seed, int lanes, int maxRequests, int documents) {
    RestClient admin = cluster.nodes().rest();
    ComparisonOrders.load(admin, documents);
    admin.send("PUT", STREAM_TEMPLATE, ONE_SHARD).orThrow();
    cluster.nodes().awaitGreen();
    List<CompletableFuture<Void>> running = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(lanes)) {
      for (int lane = 0; lane < lanes; lane++) {
        int number = lane;
        running.add(
            CompletableFuture.runAsync(
                () -> runLane(number, new Random(seed + number), maxRequests), threads));
      }
      running.forEach(CompletableFuture::join);
    } finally {
      admin.send("DELETE", STREAM_TEMPLATE);
      ComparisonOrders.delete(admin);
    }
    return comparison.report(seed, requests.get());
  }

  private void runLane(int lane, Random random, int maxRequests) {
    RestAccess trusting = cluster.credentials().none();
    try (RestClient direct = new RestClient(cluster.nodes().node(0).httpUri(), trusting);
        RestClient through = new RestClient(gateway, trusting)) {
      ComparedEndpointClient node =
          new ComparedEndpointClient(direct, cluster.credentials(), "n" + lane);
      ComparedEndpointClient weir =
          new ComparedEndpointClient(through, cluster.credentials(), "g" + lane);
      try {
        prepare(node);
        prepare(weir);
        cluster.nodes().awaitGreen();
        SecuredRequestGenerator generator = new SecuredRequestGenerator(random);
        while (requests.get() < maxRequests) {
          generator.next().forEach(request -> compare(request, node, weir));
        }
      } finally {
        delete(node);
        delete(weir);
      }
    }
  }

  private void prepare(ComparedEndpointClient endpoint) {
    delete(endpoint);
    RestClient admin = cluster.nodes().rest();
    admin.send("PUT", "/" + endpoint.value(ComparedEndpointClient.DRAFT), DRAFT_MAPPING).orThrow();
    admin.send("PUT", "/_data_stream/" + endpoint.value(ComparedEndpointClient.STREAM)).orThrow();
  }

  private void delete(ComparedEndpointClient endpoint) {
    RestClient admin = cluster.nodes().rest();
    admin.send("DELETE", "/" + endpoint.value(ComparedEndpointClient.DRAFT));
    admin.send("DELETE", "/_data_stream/" + endpoint.value(ComparedEndpointClient.STREAM));
  }

  private void compare(
      ComparedRequest request, ComparedEndpointClient node, ComparedEndpointClient weir) {
    int number = requests.incrementAndGet();
    if (number % PROGRESS == 0) {
      progress.accept(number + " requests, " + comparison.different() + " different");
    }
    comparison.compare(request, node, weir);
  }
}
