package dev.weir.responses.columnar;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.cluster.ClusterViewSource;
import dev.weir.responses.columnar.table.Column;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.RepeatedTest;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.common.xcontent.XContentHelper;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.common.bytes.CompositeBytesReference;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.search.SearchHit;
import org.opensearch.search.SearchShardTarget;

/** Random documents can be restored from their columns. */
class HitRowsTest {
  /** The columns of a cluster without indices. */
  static final ClusterViewSource NOTHING =
      new ClusterViewSource() {
        private final ClusterView empty = ClusterView.empty(0);

        @Override
        public ClusterView current() {
          return empty;
        }

        @Override
        public CompletionStage<ClusterView> refresh(ClusterView stale) {
          return CompletableFuture.completedStage(empty);
        }
      };

  private final long seed = TestSeed.random(HitRowsTest.class).nextLong();
  private final Random random = new Random(seed);

  @RepeatedTest(50)
  void documentsComeBackFromTheirColumns() throws IOException {
    List<Map<String, Object>> documents = new ArrayList<>();
    SearchHit[] hits = new SearchHit[random.nextInt(20)];
    for (int i = 0; i < hits.length; i++) {
      Map<String, Object> document = object(3);
      documents.add(document);
      hits[i] = hit(i, document);
    }
    HitRows rows = rows(hits);
    JsonColumnWriter json =
        new JsonColumnWriter(rows.columns(), expected -> new BytesStreamOutput(expected));
    rows.forEachRow(json);

    List<Object> columns = values(json);
    for (int i = 0; i < hits.length; i++) {
      Map<String, Object> expected = new LinkedHashMap<>();
      flatten("", documents.get(i), expected);
      Map<String, Object> got = new LinkedHashMap<>();
      for (Column column : rows.columns().all()) {
        Object value = ((List<?>) columns.get(column.index())).get(i);
        if (value != null && !column.name().startsWith("_")) {
          got.put(column.name(), value);
        }
      }
      assertThat(got).as("seed %s", seed).isEqualTo(expected);
    }
  }

  @RepeatedTest(50)
  void csvIsTheSameReadOnceAsReadTwice() throws IOException {
    boolean alike = random.nextBoolean();
    Map<String, Object> first = object(2);
    SearchHit[] hits = new SearchHit[random.nextInt(8)];
    for (int i = 0; i < hits.length; i++) {
      hits[i] = hit(i, alike ? first : object(2));
    }
    BytesReference once = CsvRowWriter.write(rows(hits), new BytesStreamOutput());

    HitRows rows = rows(hits);
    rows.forEachRow(row -> {});
    CsvRowWriter csv = new CsvRowWriter(rows.columns(), new BytesStreamOutput());
    csv.writeHeader();
    rows.forEachRow(csv);

    assertThat(once).as("seed %s", seed).isEqualTo(csv.bytes());
  }

  @RepeatedTest(50)
  void hitsThatLieInAnswersAreRowsAsObjectsAre() throws IOException {
    SearchHit[] hits = new SearchHit[random.nextInt(20)];
    for (int i = 0; i < hits.length; i++) {
      hits[i] = hit(i, object(3), random.nextBoolean() ? "docs" : "others");
      hits[i].score(random.nextInt(4) == 0 ? Float.NaN : random.nextInt(3) / 4f);
      if (hits[i].getSourceRef().get(0) != '{') {
        hits[i].sourceRef(null);
      }
    }

    assertThat(columns(new ResponseHits.InPlaceHits(new HitsInArrays(hits))))
        .as("seed %s", seed)
        .isEqualTo(columns(new ResponseHits.HitObjects(hits)));
  }

  private static String columns(ResponseHits hits) throws IOException {
    HitRows rows =
        new HitRows(hits, new MappedFieldsCache(NOTHING), RequestedColumns.NONE, List.of("docs"));
    JsonColumnWriter json =
        new JsonColumnWriter(rows.columns(), expected -> new BytesStreamOutput(expected));
    rows.forEachRow(json);
    List<BytesReference> pieces = new ArrayList<>();
    json.appendTo(pieces);
    return CompositeBytesReference.of(pieces.toArray(BytesReference[]::new)).utf8ToString();
  }

  private static HitRows rows(SearchHit[] hits) {
    return new HitRows(
        new ResponseHits.HitObjects(hits),
        new MappedFieldsCache(NOTHING),
        RequestedColumns.NONE,
        List.of());
  }

  private SearchHit hit(int i, Map<String, Object> document) throws IOException {
    return hit(i, document, "docs");
  }

  private SearchHit hit(int i, Map<String, Object> document, String index) throws IOException {
    SearchHit hit = new SearchHit(i, "id" + i, Map.of(), Map.of());
    hit.shard(new SearchShardTarget("n", new ShardId(new Index(index, "u"), 0), null, null));
    hit.sourceRef(source(document));
    return hit;
  }

  private static List<Object> values(JsonColumnWriter json) throws IOException {
    List<BytesReference> pieces = new ArrayList<>();
    pieces.add(new BytesArray("{"));
    json.appendTo(pieces);
    pieces.add(new BytesArray("}"));
    BytesReference all = CompositeBytesReference.of(pieces.toArray(BytesReference[]::new));
    Map<String, Object> parsed =
        XContentHelper.convertToMap(JsonXContent.jsonXContent, all.utf8ToString(), true);
    List<Object> values = new ArrayList<>();
    if (parsed.get("values") instanceof List<?> list) {
      values.addAll(list);
    }
    return values;
  }

  private BytesReference source(Map<String, Object> document) throws IOException {
    XContentType type = random.nextInt(5) == 0 ? XContentType.SMILE : XContentType.JSON;
    try (XContentBuilder builder = XContentBuilder.builder(type.xContent())) {
      if (random.nextBoolean()) {
        builder.prettyPrint();
      }
      BytesReference whole = BytesReference.bytes(builder.map(document));
      int cut = random.nextInt(whole.length());
      return random.nextBoolean()
          ? whole
          : CompositeBytesReference.of(whole.slice(0, cut), whole.slice(cut, whole.length() - cut));
    }
  }

  private Map<String, Object> object(int depth) {
    Map<String, Object> object = new LinkedHashMap<>();
    for (int i = random.nextInt(6); i > 0; i--) {
      String key = random.nextInt(5) == 0 ? "k\"\u00e9\n" + i : "k" + random.nextInt(5);
      object.put(key, value(depth - 1));
    }
    return object;
  }

  private @Nullable Object value(int depth) {
    return switch (random.nextInt(depth > 0 ? 8 : 6)) {
      case 0 -> null;
      case 1 -> random.nextInt();
      case 2 -> random.nextDouble() * 1e20;
      case 3 -> random.nextBoolean();
      case 4 -> "text \"{[" + (char) random.nextInt(0xd800) + "\\ \ud83d\ude00";
      case 5 -> random.nextLong();
      case 6 -> object(depth);
      default -> list(depth);
    };
  }

  private List<@Nullable Object> list(int depth) {
    List<@Nullable Object> list = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      list.add(value(depth - 1));
    }
    return list;
  }

  private static void flatten(String parent, Map<?, ?> object, Map<String, Object> into) {
    object.forEach((key, value) -> {
      String path = parent.isEmpty() ? String.valueOf(key) : parent + "." + key;
      if (value instanceof Map<?, ?> inner) {
        flatten(path, inner, into);
      } else if (value != null) {
        into.put(path, value);
      }
    });
  }
}
