package dev.weir.core.reduce.round;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.core.reduce.SearchFixture;
import dev.weir.protocol.FrameStreamInput;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.OriginalIndices;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.action.support.IndicesOptions;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.index.query.QueryBuilders;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.internal.AliasFilter;
import org.opensearch.search.internal.ShardSearchRequest;
import org.opensearch.search.sort.SortOrder;

/** The skipper stops where OpenSearch's reader does, whatever the node rewrote. */
class EchoedRequestSkipperTest {
  private static final OpenSearchRegistries REGISTRIES = OpenSearchRegistries.create();
  private static final List<Version> VERSIONS =
      List.of(Version.CURRENT, Version.V_3_2_0, Version.V_3_0_0, Version.V_2_19_0);
  private static final byte[] REST = {1, 2, 3, 4};

  private final long seed = TestSeed.random(EchoedRequestSkipperTest.class).nextLong();
  private final Random random = new Random(seed);

  @Test
  void stopsWhereTheReaderStops() throws IOException {
    for (int round = 0; round < 400; round++) {
      Version version = VERSIONS.get(random.nextInt(VERSIONS.size()));
      SearchSourceBuilder source = source();
      SerializedSource sent = new SerializedSource(source);
      try (BytesStreamOutput unused = new BytesStreamOutput()) {
        unused.setVersion(version);
        sent.writeTo(unused);
      }
      boolean rewritten = random.nextInt(3) == 0;
      BytesArray echo = echo(rewritten ? source() : source, version);

      assertThat(restAfterSkipping(sent, echo, version))
          .as("seed %s, round %s", seed, round)
          .isEqualTo(REST);
      assertThat(restAfterSkipping(null, echo, version)).isEqualTo(REST);
    }
  }

  @Test
  void readsTheWholeRequestWhereTheSourceWasNotSerialized() throws IOException {
    SearchSourceBuilder source = source();
    BytesArray echo = echo(source, Version.CURRENT);

    assertThat(restAfterSkipping(new SerializedSource(source), echo, Version.CURRENT))
        .isEqualTo(REST);
  }

  private static byte[] restAfterSkipping(
      @Nullable SerializedSource sent, BytesArray echo, Version version) throws IOException {
    FrameStreamInput in = new FrameStreamInput(echo, version, REGISTRIES.writeables(), false);
    new EchoedRequestSkipper(sent).skip(in);
    byte[] rest = new byte[in.available()];
    in.readBytes(rest, 0, rest.length);
    return rest;
  }

  private SearchSourceBuilder source() {
    SearchSourceBuilder source = new SearchSourceBuilder().size(random.nextInt(20));
    if (random.nextBoolean()) {
      source.query(QueryBuilders.matchQuery("text", "word" + random.nextInt(5)));
    }
    if (random.nextBoolean()) {
      source.sort("n", SortOrder.DESC);
    }
    return source;
  }

  private BytesArray echo(SearchSourceBuilder source, Version version) throws IOException {
    SearchRequest search = new SearchRequest("docs").source(source);
    search.allowPartialSearchResults(random.nextBoolean());
    if (random.nextBoolean()) {
      search.preference("p" + random.nextInt(9));
    }
    ShardSearchRequest request =
        new ShardSearchRequest(
            new OriginalIndices(new String[] {"docs"}, IndicesOptions.strictExpandOpen()),
            search,
            SearchFixture.shard(random.nextInt(3)),
            1,
            random.nextBoolean()
                ? AliasFilter.EMPTY
                : new AliasFilter(QueryBuilders.termQuery("tenant", "a"), "alias"),
            random.nextFloat(),
            random.nextInt(1 << 30),
            null,
            random.nextBoolean() ? new String[0] : new String[] {"r1", "r2"});
    if (random.nextBoolean()) {
      request.setParentTask(new TaskId("node", random.nextInt(1 << 20)));
    }
    request.setInboundNetworkTime(random.nextInt(1000));
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.setVersion(version);
      request.writeTo(out);
      out.writeBytes(REST);
      return new BytesArray(BytesReference.toBytes(out.bytes()));
    }
  }
}
