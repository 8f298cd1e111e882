package dev.weir.node.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.apache.lucene.index.CodecReader;
import org.apache.lucene.index.CorruptIndexException;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.FSDirectory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that an older version of the plugin wrote, and broken ones. */
final class ZstdFilesTest {
  private static final int DOCUMENTS = 900;
  private static final List<String> FORMAT_1 =
      List.of("segments_2", "_0.cfe", "_0.cfs", "_0.si", "_1.cfe", "_1.cfs", "_1.si");

  @TempDir private Path folder;

  /** Keeps what format version 1 wrote: documents 0 to 599 with a dictionary, five without. */
  public static void main(String[] to) throws IOException {
    try (Directory directory = FSDirectory.open(Path.of(to[0]));
        IndexWriter writer =
            new IndexWriter(
                directory,
                ZstdIndex.config(ZstdIndex.codec(ChunkSize.SMALL, 3)).setUseCompoundFile(true))) {
      ZstdIndex.add(writer, 0, 600);
      writer.commit();
      ZstdIndex.add(writer, 600, 605);
    }
  }

  @Test
  void readFormatVersion1() throws IOException {
    for (String file : FORMAT_1) {
      try (InputStream in = ZstdFilesTest.class.getResourceAsStream("format-1/" + file)) {
        Files.copy(Objects.requireNonNull(in, file), folder.resolve(file));
      }
    }

    try (Directory directory = FSDirectory.open(folder);
        DirectoryReader reader = DirectoryReader.open(directory)) {
      assertThat(ZstdIndex.read(directory)).isEqualTo(ZstdIndex.expected(0, 605));
      List<ZstdMode> modes = ZstdIndex.modes(reader);
      assertThat(modes.get(0).dictionary()).isNotEmpty();
      assertThat(modes.get(1).dictionary()).isEmpty();
    }
  }

  private void write() throws IOException {
    try (Directory directory = FSDirectory.open(folder);
        IndexWriter writer =
            new IndexWriter(directory, ZstdIndex.config(ZstdIndex.codec(ChunkSize.SMALL, 3)))) {
      ZstdIndex.add(writer, 0, DOCUMENTS);
    }
  }

  private void change(String file, double at) throws IOException {
    Path path = folder.resolve(file);
    byte[] bytes = Files.readAllBytes(path);
    bytes[(int) (at * (bytes.length - 1))] ^= 0x40;
    Files.write(path, bytes);
  }

  private void check() throws IOException {
    try (Directory directory = FSDirectory.open(folder);
        DirectoryReader reader = DirectoryReader.open(directory)) {
      ((CodecReader) reader.leaves().getFirst().reader()).checkIntegrity();
    }
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.0005, 0.001, 0.0015, 0.1, 0.5, 0.9, 1})
  void detectABrokenDictionary(double at) throws IOException {
    int open = ZstdMode.open();
    write();
    change("_0.wzd", at);

    assertThatThrownBy(this::check).isInstanceOf(CorruptIndexException.class);
    assertThat(ZstdMode.open()).isEqualTo(open);
  }

  @Test
  void detectAShortenedDictionary() throws IOException {
    write();
    Path file = folder.resolve("_0.wzd");
    byte[] bytes = Files.readAllBytes(file);
    Files.write(file, Arrays.copyOf(bytes, bytes.length / 2));

    assertThatThrownBy(this::check).isInstanceOf(CorruptIndexException.class);
  }

  @Test
  void detectAMissingDictionary() throws IOException {
    write();
    Files.delete(folder.resolve("_0.wzd"));

    assertThatThrownBy(this::check).isInstanceOf(IOException.class);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.01, 0.3, 0.7, 0.99, 1})
  void detectBrokenChunks(double at) throws IOException {
    int open = ZstdMode.open();
    write();
    change("_0.fdt", at);

    assertThatThrownBy(this::check).isInstanceOf(CorruptIndexException.class);
    assertThat(ZstdMode.open()).isEqualTo(open);
  }
}
