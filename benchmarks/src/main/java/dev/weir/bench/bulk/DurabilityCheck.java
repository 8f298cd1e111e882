package dev.weir.bench.bulk;

import dev.weir.bench.BlockingHttpConnection;
import dev.weir.bench.MeasuredGateway;
import dev.weir.bench.ResultChecks;
import dev.weir.bench.Workload;
import dev.weir.testkit.DataNode;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.util.BitSet;
import java.util.Collection;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Checks that every acknowledged document is in an index exactly once, under its id and with its
 * content.
 */
final class DurabilityCheck {
  private static final int PAGE = 5000;
  private static final int SUCCESS = 200;
  private static final Pattern NUMBER = Pattern.compile("\"number\":\\[(\\d+)]");
  private static final Pattern SCROLL = Pattern.compile("\"_scroll_id\":\"([^\"]+)\"");

  private final PrintStream out;
  private final String index;
  private final LogLines lines;
  private final InetSocketAddress node;
  private final InetSocketAddress gateway;
  private final BitSet foundNumbers = new BitSet();
  private long documents;
  private long duplicates;

  DurabilityCheck(
      PrintStream out, String index, LogLines lines, DataNode node, MeasuredGateway gateway) {
    this.out = out;
    this.index = index;
    this.lines = lines;
    this.node = new InetSocketAddress("127.0.0.1", node.httpPort());
    this.gateway = gateway.address();
  }

  void check(Collection<AcknowledgedBulk> written, ResultChecks verdicts) throws IOException {
    out.println("soak: looking for all that was acknowledged");
    readAll();
    long acknowledged = 0;
    long lost = 0;
    for (AcknowledgedBulk bulk : written) {
      for (int i = 0; i < bulk.ids().size(); i++) {
        if (!bulk.ids().get(i).isEmpty()) {
          acknowledged++;
          lost += foundNumbers.get((int) bulk.firstNumber() + i) ? 0 : 1;
        }
      }
    }
    long notFound = countMissing(written);
    out.printf(
        "soak: %d documents in the index, %d of them acknowledged; lost %d, doubled %d, not found"
            + " by id %d%n",
        documents, acknowledged, lost, duplicates, notFound);
    verdicts.checkAtMost("soak", "lost", (double) lost, 0);
    verdicts.checkAtMost("soak", "doubled", (double) duplicates, 0);
    verdicts.checkAtMost("soak", "not found by id with its content", (double) notFound, 0);
  }

  /** Reads the number of every document directly from a node. */
  private void readAll() throws IOException {
    try (BlockingHttpConnection connection = BlockingHttpConnection.withBodies(node)) {
      String fields = "filter_path=_scroll_id,hits.hits.fields";
      String body =
          send(
              connection,
              "POST",
              "/" + index + "/_search?scroll=5m&" + fields,
              "{\"size\":"
                  + PAGE
                  + ",\"_source\":false,\"docvalue_fields\":[\"number\"],\"sort\":[\"_doc\"]}");
      while (recordDocument(body) > 0) {
        String scroll = "{\"scroll\":\"5m\",\"scroll_id\":\"" + scrollId(body) + "\"}";
        body = send(connection, "POST", "/_search/scroll?" + fields, scroll);
      }
      String scrollBody = "{\"scroll_id\":\"" + scrollId(body) + "\"}";
      send(connection, "DELETE", "/_search/scroll", scrollBody);
    }
  }

  private int recordDocument(String body) {
    Matcher number = NUMBER.matcher(body);
    int found = 0;
    while (number.find()) {
      int own = Math.toIntExact(LogLines.parseNumber(Long.parseLong(number.group(1))));
      duplicates += foundNumbers.get(own) ? 1 : 0;
      foundNumbers.set(own);
      found++;
    }
    documents += found;
    return found;
  }

  private static String scrollId(String body) {
    Matcher id = SCROLL.matcher(body);
    if (!id.find()) {
      throw new IllegalStateException("got no scroll id (expected: one): " + body);
    }
    return id.group(1);
  }

  /**
   * Returns how many acknowledged documents are missing under their ids. Reads alternately through
   * the gateway and directly from a node.
   */
  private long countMissing(Collection<AcknowledgedBulk> written) throws IOException {
    long missing = 0;
    boolean throughGateway = false;
    try (BlockingHttpConnection direct = BlockingHttpConnection.withBodies(node);
        BlockingHttpConnection through = BlockingHttpConnection.withBodies(gateway)) {
      for (AcknowledgedBulk bulk : written) {
        throughGateway = !throughGateway;
        missing += countMissing(bulk, throughGateway ? through : direct);
      }
    }
    return missing;
  }

  private long countMissing(AcknowledgedBulk bulk, BlockingHttpConnection connection)
      throws IOException {
    String ids =
        bulk.ids().stream()
            .filter(id -> !id.isEmpty())
            .map(id -> '"' + id + '"')
            .collect(Collectors.joining(",", "{\"ids\":[", "]}"));
    String body = send(connection, "POST", "/" + index + "/_mget", ids);
    boolean single = false;
    long missing = 0;
    int at = 0;
    for (int i = 0; i < bulk.ids().size(); i++) {
      String id = bulk.ids().get(i);
      if (id.isEmpty()) {
        continue;
      }
      String document = lines.document(i, bulk.firstNumber() + i);
      at = body.indexOf("\"_id\":\"" + id + '"', at);
      int next = at < 0 ? -1 : body.indexOf("{\"_index\":", at);
      String item = at < 0 ? "" : body.substring(at, next < 0 ? body.length() : next);
      at = Math.max(0, at);
      missing += item.contains("\"_source\":" + document) ? 0 : 1;
      if (!single) { // reads one document of each bulk by a single GET
        single = true;
        int status = connection.exchange(Workload.request("GET", "/" + index + "/_doc/" + id, ""));
        missing += status == SUCCESS && connection.body().contains(document) ? 0 : 1;
      }
    }
    return missing;
  }

  private static String send(
      BlockingHttpConnection connection, String method, String path, String body)
      throws IOException {
    int status = connection.exchange(Workload.request(method, path, body));
    if (status != SUCCESS) {
      throw new IllegalStateException(
          "got status " + status + " for " + path + " (expected: 200): " + connection.body());
    }
    return connection.body();
  }
}
