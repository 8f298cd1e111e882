package dev.weir.node.codec;

import static dev.weir.node.codec.ZstdIndex.add;
import static dev.weir.node.codec.ZstdIndex.codec;
import static dev.weir.node.codec.ZstdIndex.config;
import static dev.weir.node.codec.ZstdIndex.expected;
import static dev.weir.node.codec.ZstdIndex.merging;
import static dev.weir.node.codec.ZstdIndex.modes;
import static dev.weir.node.codec.ZstdIndex.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.lucene.codecs.lucene104.Lucene104Codec;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.StoredFields;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.Sort;
import org.apache.lucene.search.SortField;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.IOContext;
import org.apache.lucene.store.IndexInput;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Dictionaries, merges and memory. */
final class ZstdStoredFieldsTest {
  private static final int LARGE = 2000;

  private final Directory directory = new ByteBuffersDirectory();
  private int openBefore;

  @BeforeEach
  void count() {
    openBefore = ZstdMode.open();
  }

  @AfterEach
  void releaseEachDictionary() throws IOException {
    directory.close();
    assertThat(ZstdMode.open()).isEqualTo(openBefore);
  }

  private void write(IndexWriterConfig config, int from, int to) throws IOException {
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      add(writer, from, to);
    }
  }

  private void merge(IndexWriterConfig config) throws IOException {
    try (IndexWriter writer = new IndexWriter(directory, config)) {
      writer.forceMerge(1);
    }
  }

  private long bytes(String extension) throws IOException {
    long bytes = 0;
    for (String file : directory.listAll()) {
      bytes += file.endsWith(extension) ? directory.fileLength(file) : 0;
    }
    return bytes;
  }

  @ParameterizedTest
  @EnumSource(ChunkSize.class)
  void trainADictionaryForALargeSegment(ChunkSize size) throws IOException {
    write(config(codec(size, 3)), 0, LARGE);

    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      assertThat(modes(reader))
          .singleElement()
          .satisfies(mode -> {
            assertThat(mode.dictionary().length)
                .isBetween(1024, DictionaryTrainer.DICTIONARY_BYTES);
            assertThat(mode.level()).isEqualTo(3);
          });
    }
    assertThat(read(directory)).isEqualTo(expected(0, LARGE));
  }

  @Test
  void trainNoneForASmallSegment() throws IOException {
    write(config(codec(ChunkSize.SMALL, 3)), 0, 100);

    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      assertThat(modes(reader))
          .singleElement()
          .satisfies(mode -> assertThat(mode.dictionary()).isEmpty());
    }
    assertThat(read(directory)).isEqualTo(expected(0, 100));
  }

  @Test
  void trainNoneWhereItSavesNothing() throws IOException {
    Random random = new Random(1);
    try (IndexWriter writer = new IndexWriter(directory, config(codec(ChunkSize.SMALL, 3)))) {
      for (int i = 0; i < 500; i++) {
        byte[] noise = new byte[1000];
        random.nextBytes(noise);
        Document document = new Document();
        document.add(new StoredField("noise", noise));
        writer.addDocument(document);
      }
    }

    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      assertThat(modes(reader))
          .singleElement()
          .satisfies(mode -> assertThat(mode.dictionary()).isEmpty());
    }
    assertThat(bytes(".fdt")).isBetween(500_000L, 520_000L);
  }

  @Test
  void takeAThirdLessThanLz4() throws IOException {
    write(config(new Lucene104Codec()), 0, 10 * LARGE);
    long stock = bytes(".fdt");
    write(
        config(codec(ChunkSize.SMALL, 3)).setOpenMode(IndexWriterConfig.OpenMode.CREATE),
        0,
        10 * LARGE);

    assertThat(bytes(".fdt") + bytes(".wzd")).isLessThan(stock * 67 / 100);
  }

  @Test
  void keepTheShardsDictionaryWhileItFits() throws IOException {
    try (IndexWriter writer = new IndexWriter(directory, config(codec(ChunkSize.SMALL, 3)))) {
      for (int segment = 0; segment < 3; segment++) {
        add(writer, segment * LARGE, (segment + 1) * LARGE);
        writer.flush();
      }
    }

    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      List<ZstdMode> modes = modes(reader);
      assertThat(modes).hasSize(3).containsOnly(modes.getFirst());
      assertThat(modes.getFirst().dictionary()).isNotEmpty();
    }
  }

  @Test
  void trainANewOneWhenDocumentsChange() throws IOException {
    Random random = new Random(1);
    try (IndexWriter writer = new IndexWriter(directory, config(codec(ChunkSize.SMALL, 3)))) {
      add(writer, 0, LARGE);
      writer.flush();
      for (int i = 0; i < LARGE; i++) {
        Document other = new Document();
        other.add(
            new StoredField(
                "_source",
                "<item><name>%d</name><price currency='EUR'>%d</price><text>%x</text></item>"
                    .formatted(random.nextInt(10_000), random.nextInt(10_000), random.nextLong())));
        writer.addDocument(other);
      }
      writer.flush();
    }

    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      List<ZstdMode> modes = modes(reader);
      assertThat(modes).hasSize(2);
      assertThat(modes.get(0)).isNotSameAs(modes.get(1));
      assertThat(modes.get(1).dictionary()).isNotEmpty();
    }
  }

  /** The chunks of the second segment would begin at other documents if they were made again. */
  @Test
  void copyChunksOfTheSameDictionary() throws IOException {
    ZstdCodec codec = (ZstdCodec) codec(ChunkSize.SMALL, 3);
    try (IndexWriter writer = new IndexWriter(directory, config(codec))) {
      add(writer, 0, LARGE);
      writer.flush();
      add(writer, LARGE, 2 * LARGE + 50);
    }
    String second = content("_1.fdt").substring(1000, 100_000);
    merge(merging(codec));

    assertThat(content("_2.fdt").contains(second)).isTrue();
    assertThat(read(directory)).isEqualTo(expected(0, 2 * LARGE + 50));
  }

  @Test
  void compressAgainForAnotherLevelOrChunkSize() throws IOException {
    write(config(codec(ChunkSize.SMALL, 1)), 0, LARGE);
    long before = bytes(".fdt");
    write(config(codec(ChunkSize.SMALL, 1)), LARGE, LARGE + 10);
    merge(merging(codec(ChunkSize.LARGE, 6)));

    assertThat(bytes(".fdt")).isLessThan(before);
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      assertThat(modes(reader))
          .singleElement()
          .satisfies(mode -> assertThat(mode.level()).isEqualTo(6));
    }
    assertThat(read(directory)).isEqualTo(expected(0, LARGE + 10));
  }

  @Test
  void carryTheDictionaryOfMostDocuments() throws IOException {
    write(config(codec(ChunkSize.SMALL, 3)), 0, 2 * LARGE);
    byte[] most;
    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      most = modes(reader).getFirst().dictionary();
    }
    write(config(codec(ChunkSize.SMALL, 3)), 2 * LARGE, 3 * LARGE);
    merge(merging(codec(ChunkSize.SMALL, 3)));

    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      assertThat(modes(reader).getFirst().dictionary()).isEqualTo(most);
    }
    assertThat(read(directory)).isEqualTo(expected(0, 3 * LARGE));
  }

  @Test
  void trainForTheMergeOfSmallSegments() throws IOException {
    for (int segment = 0; segment < 20; segment++) {
      write(config(codec(ChunkSize.SMALL, 3)), segment * 100, (segment + 1) * 100);
    }
    merge(merging(codec(ChunkSize.SMALL, 3)));

    try (DirectoryReader reader = DirectoryReader.open(directory)) {
      assertThat(modes(reader))
          .singleElement()
          .satisfies(mode -> assertThat(mode.dictionary()).isNotEmpty());
    }
    assertThat(read(directory)).isEqualTo(expected(0, 2000));
  }

  @Test
  void mergeSegmentsOfTheStockCodecAndBack() throws IOException {
    write(config(new Lucene104Codec()), 0, LARGE);
    write(config(codec(ChunkSize.SMALL, 3)), LARGE, 2 * LARGE);
    merge(merging(codec(ChunkSize.SMALL, 3)));
    assertThat(read(directory)).isEqualTo(expected(0, 2 * LARGE));
    assertThat(bytes(".wzd")).isPositive();

    write(config(new Lucene104Codec()), 2 * LARGE, 2 * LARGE + 1);
    merge(merging(new Lucene104Codec()));
    assertThat(read(directory)).isEqualTo(expected(0, 2 * LARGE + 1));
    assertThat(bytes(".wzd")).isZero();
  }

  /** Random updates, deletions, flushes and merges of a sorted index, beside the stock codec. */
  @Test
  void holdWhatTheStockCodecHolds() throws IOException {
    Random random = new Random(3);
    IndexWriterConfig sorted =
        merging(codec(ChunkSize.SMALL, 3))
            .setIndexSort(new Sort(new SortField("order", SortField.Type.LONG)));
    try (Directory stock = new ByteBuffersDirectory();
        IndexWriter zstd = new IndexWriter(directory, sorted);
        IndexWriter lz4 = new IndexWriter(stock, merging(new Lucene104Codec()))) {
      for (int round = 0; round < 6; round++) {
        int from = random.nextInt(2500);
        for (IndexWriter writer : List.of(zstd, lz4)) {
          for (int id = from; id < from + 600; id++) {
            writer.updateDocument(new Term("id", "" + id), ZstdIndex.document(id));
          }
          writer.deleteDocuments(new Term("id", "" + (from + 7)), new Term("id", "" + from / 2));
          writer.commit();
        }
        if (round % 3 == 2) {
          zstd.forceMerge(2);
        }
        Map<Integer, String> held = read(directory);
        assertThat(held).isNotEmpty().isEqualTo(read(stock));
      }
    }
  }

  @Test
  void readFromManyThreads() throws Exception {
    write(config(codec(ChunkSize.SMALL, 3)), 0, LARGE);
    write(config(codec(ChunkSize.LARGE, 1)), LARGE, 2 * LARGE);
    Map<Integer, String> expected = expected(0, 2 * LARGE);
    try (DirectoryReader reader = DirectoryReader.open(directory);
        ExecutorService threads = Executors.newFixedThreadPool(8)) {
      List<Callable<Integer>> tasks = new ArrayList<>();
      for (int seed = 0; seed < 16; seed++) {
        Random random = new Random(seed);
        tasks.add(() -> {
          StoredFields fields = reader.storedFields();
          int right = 0;
          for (int i = 0; i < 500; i++) {
            int id = random.nextInt(2 * LARGE);
            String got = fields.document(id).getBinaryValue("_source").utf8ToString();
            right += got.equals(expected.get(id)) ? 1 : 0;
          }
          return right;
        });
      }
      for (Future<Integer> done : threads.invokeAll(tasks)) {
        assertThat(done.get()).isEqualTo(500);
      }
    }
  }

  private String content(String file) throws IOException {
    try (IndexInput in = directory.openInput(file, IOContext.DEFAULT)) {
      byte[] bytes = new byte[Math.toIntExact(in.length())];
      in.readBytes(bytes, 0, bytes.length);
      return new String(bytes, StandardCharsets.ISO_8859_1);
    }
  }

  /** A dictionary that equals another one byte for byte is that one. */
  @Test
  void shareEqualDictionaries() {
    byte[] bytes = {1, 2, 3};
    ZstdMode first = ZstdMode.acquire(3, bytes);
    ZstdMode second = ZstdMode.acquire(3, Arrays.copyOf(bytes, 3));
    ZstdMode other = ZstdMode.acquire(1, bytes);

    assertThat(second).isSameAs(first);
    assertThat(other).isNotSameAs(first);
    List.of(first, second, other).forEach(ZstdMode::release);
  }
}
