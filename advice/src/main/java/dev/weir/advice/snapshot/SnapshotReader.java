package dev.weir.advice.snapshot;

import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads a snapshot: each API once, one after the other. An API that fails leaves a gap, and the
 * snapshot says why. For one thread, which it blocks.
 */
public final class SnapshotReader {
  private final ApiReader cluster;
  private final @Nullable ApiReader admin;
  private final Map<ApiSource, String> unavailable = new EnumMap<>(ApiSource.class);

  /**
   * Reads nothing yet.
   *
   * @param admin the gateway's admin port; null for none
   */
  public SnapshotReader(ApiReader cluster, @Nullable ApiReader admin) {
    this.cluster = cluster;
    this.admin = admin;
  }

  /** Reads a response while it arrives. */
  @FunctionalInterface
  private interface Parser {
    void parse(InputStream stream) throws IOException;
  }

  /**
   * Reads everything.
   *
   * @throws IOException if nothing of the cluster could be read; the message says why
   */
  public ClusterSnapshot read() throws IOException, InterruptedException {
    LayeredSettings settings = settings(tree(ApiSource.CLUSTER_SETTINGS));
    List<NodeFacts> nodes = nodes(tree(ApiSource.NODES), tree(ApiSource.NODE_STATS));
    Set<String> rolledOver = rolledOver();
    List<IndexFacts> indices = indices(rolledOver);
    List<ShardFacts> shards = new ArrayList<>();
    read(
        ApiSource.SHARDS,
        stream -> JsonStreamReader.forEachElement(stream, row -> shards.add(shard(row))));
    List<String> exclusions =
        tree(ApiSource.COORDINATION)
            .at("metadata", "cluster_coordination", "voting_config_exclusions")
            .elements()
            .stream()
            .map(one -> one.at("node_name").text())
            .toList();
    TrafficFacts traffic = traffic(tree(ApiSource.TRAFFIC), tree(ApiSource.GATEWAY_CONFIG));
    long failed = unavailable.keySet().stream().filter(one -> !one.isOfAdminPort()).count();
    long all = List.of(ApiSource.values()).stream().filter(one -> !one.isOfAdminPort()).count();
    if (failed == all) {
      throw new IOException(
          "can't read the cluster: " + unavailable.get(ApiSource.CLUSTER_SETTINGS));
    }
    return new ClusterSnapshot(settings, nodes, indices, shards, exclusions, traffic, unavailable);
  }

  private JsonFacts tree(ApiSource source) throws IOException, InterruptedException {
    JsonFacts[] tree = {JsonFacts.MISSING};
    read(source, stream -> tree[0] = JsonStreamReader.read(stream));
    return tree[0];
  }

  private void read(ApiSource source, Parser parser) throws IOException, InterruptedException {
    ApiReader api = source.isOfAdminPort() ? admin : cluster;
    if (api == null) {
      unavailable.put(source, "no gateway's admin port was given");
      return;
    }
    try (InputStream stream = api.get(source.path())) {
      parser.parse(stream);
    } catch (UnreachableException e) {
      if (!source.isOfAdminPort()) {
        throw new IOException("can't read the cluster: " + e.getMessage(), e);
      }
      unavailable.put(source, String.valueOf(e.getMessage()));
    } catch (IOException e) {
      unavailable.put(source, String.valueOf(e.getMessage()));
    }
  }

  private static LayeredSettings settings(JsonFacts tree) {
    return new LayeredSettings(
        tree.at("persistent").texts(), tree.at("transient").texts(), tree.at("defaults").texts());
  }

  private static List<NodeFacts> nodes(JsonFacts tree, JsonFacts stats) {
    List<NodeFacts> nodes = new ArrayList<>();
    tree.at("nodes").forEachMember((id, node) -> nodes.add(node(node, stats.at("nodes", id))));
    return nodes;
  }

  private static NodeFacts node(JsonFacts node, JsonFacts stats) {
    long machine = stats.at("os", "mem", "total_in_bytes").number(-1);
    long container = stats.at("os", "cgroup", "memory", "limit_in_bytes").number(Long.MAX_VALUE);
    return new NodeFacts(
        node.at("name").text(),
        node.at("host").text(),
        node.at("version").text(),
        texts(node.at("roles").elements()),
        node.at("attributes").texts(),
        texts(node.at("plugins").elements().stream().map(one -> one.at("name")).toList()),
        new NodeFacts.Memory(
            node.at("jvm", "mem", "heap_max_in_bytes").number(-1),
            node.at("jvm", "using_compressed_ordinary_object_pointers").isTrue(),
            node.at("process", "mlockall").isTrue(),
            machine <= 0 ? -1 : Math.min(machine, container),
            stats.at("os", "swap", "total_in_bytes").number(-1)),
        new NodeFacts.Disk(
            stats.at("fs", "total", "total_in_bytes").number(-1),
            stats.at("fs", "total", "available_in_bytes").number(-1)));
  }

  private static Set<String> texts(List<JsonFacts> values) {
    Set<String> texts = new TreeSet<>();
    values.forEach(one -> texts.add(one.text()));
    return texts;
  }

  /** The indices of data streams and aliases that a later index has replaced. */
  private Set<String> rolledOver() throws IOException, InterruptedException {
    Set<String> earlier = new HashSet<>();
    Set<String> written = new HashSet<>();
    tree(ApiSource.ALIASES)
        .forEachMember((index, aliases) ->
            aliases
                .at("aliases")
                .forEachMember((alias, options) -> {
                  boolean isWritten = options.at("is_write_index").isTrue();
                  (isWritten ? written : earlier).add(index);
                }));
    for (JsonFacts stream : tree(ApiSource.DATA_STREAMS).at("data_streams").elements()) {
      List<JsonFacts> backing = stream.at("indices").elements();
      backing.forEach(index -> earlier.add(index.at("index_name").text()));
      if (!backing.isEmpty()) {
        written.add(backing.getLast().at("index_name").text());
      }
    }
    earlier.removeAll(written);
    return earlier;
  }

  private List<IndexFacts> indices(Set<String> rolledOver)
      throws IOException, InterruptedException {
    Map<String, Map<String, String>> settings = new HashMap<>();
    read(
        ApiSource.INDEX_SETTINGS,
        stream ->
            JsonStreamReader.forEachMember(
                stream, (name, index) -> settings.put(name, index.at("settings").texts())));
    Map<String, IndexFacts.Mapping> mappings = new HashMap<>();
    read(
        ApiSource.MAPPINGS,
        stream ->
            JsonStreamReader.forEachMember(
                stream, (name, index) -> mappings.put(name, mapping(index.at("mappings")))));
    List<IndexFacts> indices = new ArrayList<>();
    read(
        ApiSource.INDICES,
        stream ->
            JsonStreamReader.forEachElement(
                stream,
                row -> {
                  String name = row.at("index").text();
                  indices.add(
                      new IndexFacts(
                          name,
                          row.at("status").text().equals("open"),
                          size(row),
                          settings.getOrDefault(name, Map.of()),
                          mappings.getOrDefault(name, IndexFacts.Mapping.UNKNOWN),
                          rolledOver.contains(name)));
                }));
    return indices;
  }

  private static IndexFacts.Size size(JsonFacts row) {
    return new IndexFacts.Size(
        (int) row.at("pri").number(0),
        (int) row.at("rep").number(0),
        row.at("docs.count").number(0),
        row.at("docs.deleted").number(0),
        row.at("pri.store.size").number(0),
        row.at("pri.segments.count").number(0),
        row.at("pri.indexing.index_total").number(0));
  }

  private static IndexFacts.Mapping mapping(JsonFacts mappings) {
    return new IndexFacts.Mapping(countFields(mappings), mappings.at("dynamic").text());
  }

  private static int countFields(JsonFacts object) {
    int[] count = {0};
    for (String group : new String[] {"properties", "fields"}) {
      object.at(group).forEachMember((name, field) -> count[0] += 1 + countFields(field));
    }
    return count[0];
  }

  private static ShardFacts shard(JsonFacts row) {
    String state = row.at("state").text();
    String node = row.at("node").text();
    int arrow = node.indexOf(" -> "); // of a shard that moves: "from -> address id to"
    return new ShardFacts(
        row.at("index").text(),
        (int) row.at("shard").number(0),
        row.at("prirep").text().equals("p"),
        state.equals("STARTED") || state.equals("RELOCATING"),
        arrow < 0 ? node : node.substring(0, arrow),
        row.at("store").number(0),
        row.at("search.query_total").number(0));
  }

  private static TrafficFacts traffic(JsonFacts stats, JsonFacts config) {
    List<TrafficFacts.NodeState> nodes =
        stats.at("nodes").elements().stream()
            .map(node ->
                new TrafficFacts.NodeState(
                    node.at("name").text(),
                    node.at("health").text(),
                    node.at("health_reason").text()))
            .toList();
    Set<String> limited =
        new HashSet<>(config.at("admission", "tenants", "weights").texts().keySet());
    for (JsonFacts rule : config.at("admission", "pacing", "rules").elements()) {
      rule.at("tenants").elements().forEach(tenant -> limited.add(tenant.text()));
    }
    return new TrafficFacts(
        usage(stats.at("usage", "by_index")),
        usage(stats.at("usage", "by_tenant")),
        nodes,
        limited);
  }

  private static TrafficFacts.Usage usage(JsonFacts tree) {
    Map<String, TrafficFacts.Count> top = new LinkedHashMap<>();
    for (JsonFacts row : tree.at("top").elements()) {
      top.put(
          row.at("name").text(),
          new TrafficFacts.Count(row.at("requests").number(0), row.at("took_ms").number(0)));
    }
    return new TrafficFacts.Usage(
        top, tree.at("other", "requests").number(0), tree.at("other", "took_ms").number(0));
  }
}
