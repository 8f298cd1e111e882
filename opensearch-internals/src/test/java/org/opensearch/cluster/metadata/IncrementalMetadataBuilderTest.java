package org.opensearch.cluster.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.junit.TestSeed;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.common.settings.Settings;

/** Metadata after random changes, built by both builders. */
final class IncrementalMetadataBuilderTest {
  private static final int INDICES = 12;
  private static final int CHANGES = 500;

  private final Random random = new Random(TestSeed.random(getClass()).nextLong());

  private static IndexMetadata.Builder index(String name) {
    return IndexMetadata.builder(name)
        .settings(
            Settings.builder()
                .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                .put(IndexMetadata.SETTING_INDEX_UUID, "uuid-" + name))
        .numberOfShards(1)
        .numberOfReplicas(0);
  }

  private static Metadata first() {
    Metadata.Builder metadata = Metadata.builder();
    for (int i = 0; i < INDICES; i++) {
      IndexMetadata.Builder index = index("index-" + i);
      if (i % 3 == 0) {
        index.putAlias(AliasMetadata.builder("alias").writeIndex(i == 0));
      }
      metadata.put(index.build(), false);
    }
    IndexMetadata one = index(DataStream.getDefaultBackingIndexName("stream", 1)).build();
    IndexMetadata two = index(DataStream.getDefaultBackingIndexName("stream", 2)).build();
    return metadata
        .put(one, false)
        .put(two, false)
        .put(
            new DataStream(
                "stream",
                new DataStream.TimestampField("@timestamp"),
                List.of(one.getIndex(), two.getIndex())))
        .build();
  }

  @Test
  void buildsWhatOpenSearchBuilds() {
    Metadata metadata = first();
    for (int i = 0; i < CHANGES; i++) {
      Metadata.Builder plain = Metadata.builder(metadata);
      IncrementalMetadataBuilder incremental = new IncrementalMetadataBuilder(metadata);
      for (int more = random.nextInt(3); more >= 0; more--) {
        IndexMetadata changed = change(pick(metadata));
        plain.put(changed, false);
        incremental.put(changed, false);
      }
      if (random.nextInt(10) == 0) {
        String removed = "index-" + random.nextInt(INDICES);
        plain.remove(removed);
        incremental.remove(removed);
      }
      plain.version(i).persistentSettings(Settings.builder().put("a", i).build());
      incremental.version(i).persistentSettings(Settings.builder().put("a", i).build());
      Metadata expected = plain.build();
      Metadata built = incremental.build();
      assertSame(built, expected);
      metadata = built.indices().size() < INDICES ? first() : built;
    }
  }

  @Test
  void takesOverEntriesOfOtherIndices() throws IOException {
    Metadata before = first();
    IncrementalMetadataBuilder builder = new IncrementalMetadataBuilder(before);
    builder.put(IndexMetadata.builder(before.index("index-1")).putMapping("{}").build(), false);

    Metadata built = builder.build();
    assertThat(built.getIndicesLookup().get("index-2"))
        .isSameAs(before.getIndicesLookup().get("index-2"));
    assertThat(built.getIndicesLookup().get("index-1").getIndices())
        .containsExactly(built.index("index-1"));
  }

  private IndexMetadata pick(Metadata metadata) {
    List<IndexMetadata> all = List.copyOf(metadata.indices().values());
    return all.get(random.nextInt(all.size()));
  }

  private IndexMetadata change(IndexMetadata index) {
    IndexMetadata.Builder changed = IndexMetadata.builder(index).version(index.getVersion() + 1);
    switch (random.nextInt(6)) {
      case 0 -> changed.putInSyncAllocationIds(0, Set.of("id-" + random.nextInt()));
      case 1 -> changed.primaryTerm(0, index.primaryTerm(0) + 1);
      case 2 ->
          changed.settings(
              Settings.builder().put(index.getSettings()).put("index.a", random.nextInt()));
      case 3 ->
          changed.settings(
              Settings.builder()
                  .put(index.getSettings())
                  .put("index.hidden", random.nextBoolean()));
      case 4 ->
          changed.state(
              random.nextBoolean() ? IndexMetadata.State.OPEN : IndexMetadata.State.CLOSE);
      default -> changed.putAlias(AliasMetadata.builder("other-" + random.nextInt(3)));
    }
    return changed.build();
  }

  private static void assertSame(Metadata actual, Metadata expected) {
    assertThat(actual.version()).isEqualTo(expected.version());
    assertThat(actual.settings()).isEqualTo(expected.settings());
    assertThat(actual.indices()).isEqualTo(expected.indices());
    assertThat(actual.customs()).isEqualTo(expected.customs());
    assertThat(actual.getTotalNumberOfShards()).isEqualTo(expected.getTotalNumberOfShards());
    assertThat(actual.getConcreteAllIndices())
        .containsExactlyInAnyOrder(expected.getConcreteAllIndices());
    assertThat(actual.getConcreteVisibleOpenIndices())
        .containsExactlyInAnyOrder(expected.getConcreteVisibleOpenIndices());
    assertThat(actual.getConcreteAllClosedIndices())
        .containsExactlyInAnyOrder(expected.getConcreteAllClosedIndices());
    assertThat(describe(actual)).isEqualTo(describe(expected));
    actual
        .getIndicesLookup()
        .values()
        .forEach(name -> {
          for (IndexMetadata index : name.getIndices()) {
            assertThat(index).isSameAs(actual.index(index.getIndex()));
          }
          IndexAbstraction.DataStream parent = name.getParentDataStream();
          if (parent != null) {
            assertThat(parent).isSameAs(actual.getIndicesLookup().get(parent.getName()));
          }
        });
  }

  private static Map<String, String> describe(Metadata metadata) {
    Map<String, String> described = new HashMap<>();
    metadata
        .getIndicesLookup()
        .forEach((name, meaning) ->
            described.put(
                name,
                meaning.getType()
                    + " "
                    + meaning.getIndices().stream()
                        .map(index -> index.getIndex().getName() + index.getVersion())
                        .sorted()
                        .toList()
                    + (meaning.getWriteIndex() == null
                        ? ""
                        : meaning.getWriteIndex().getIndex().getName())
                    + meaning.isHidden()
                    + meaning.isSystem()));
    return described;
  }
}
