package dev.weir.bluegreen.compare;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The fingerprints of an index in temporary files, each with those of a range of hashes of the id:
 * the files of two clusters with the same number can be compared alone, in a bounded heap. Used by
 * one thread at a time.
 */
final class FingerprintSpool implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FingerprintSpool.class);

  private final List<Path> files = new ArrayList<>();
  private final List<DataOutputStream> writers = new ArrayList<>();
  private final long[] counts;

  /**
   * Creates the files.
   *
   * @param name begins the names of the files
   */
  FingerprintSpool(Path directory, String name, int parts) throws IOException {
    this.counts = new long[parts];
    try {
      for (int part = 0; part < parts; part++) {
        Path file = directory.resolve(name + "-" + part);
        files.add(file);
        writers.add(
            new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file), 1 << 14)));
      }
    } catch (IOException e) {
      close();
      throw e;
    }
  }

  void add(DocumentFingerprint document) throws IOException {
    int hash = document.id().hashCode();
    int part = Math.floorMod(hash ^ (hash >>> 16), counts.length);
    document.writeTo(writers.get(part));
    counts[part]++;
  }

  /** Ends the writing. */
  void finish() throws IOException {
    for (DataOutputStream writer : writers) {
      writer.close();
    }
    writers.clear();
  }

  /** Reads a part, which is finished, and deletes its file. */
  void drain(int part, Consumer<DocumentFingerprint> consumer) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(files.get(part))))) {
      for (long i = 0; i < counts[part]; i++) {
        consumer.accept(DocumentFingerprint.readFrom(in));
      }
    }
    Files.delete(files.get(part));
  }

  /** Deletes what is left of the files, also when the disk is full. */
  @Override
  public void close() throws IOException {
    try {
      for (DataOutputStream writer : writers) {
        closeQuietly(writer);
      }
    } finally {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
  }

  /** What could not be written is deleted anyway. */
  private static void closeQuietly(DataOutputStream writer) {
    try {
      writer.close();
    } catch (IOException e) {
      LOG.debug("a temporary file was not written to its end", e);
    }
  }
}
