package dev.weir.bluegreen.intent;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of intents that this process appends to. It is locked while it is open, and the operating
 * system releases the lock of a process that ends in any way: a file that nobody has locked belongs
 * to no live process. Used by one thread.
 */
final class IntentFile {
  /** The suffix of file names. */
  static final String SUFFIX = ".intents";

  /** The suffix of a file that is not complete yet. */
  static final String INCOMPLETE_SUFFIX = SUFFIX + ".tmp";

  private static final Logger LOG = LoggerFactory.getLogger(IntentFile.class);

  /**
   * The open files of this process. POSIX releases all locks of a process on a file when it closes
   * any descriptor of it, so this process must not even open one of them to look at its lock.
   */
  private static final Set<Path> OWN = ConcurrentHashMap.newKeySet();

  private final Path path;
  private final FileChannel channel;
  private long bytes;
  private boolean broken;

  private IntentFile(Path path, FileChannel channel) {
    this.path = path;
    this.channel = channel;
  }

  /**
   * Creates a file that others see complete and locked, or not at all.
   *
   * @param name without the suffix
   * @param lines its first lines
   * @param sync whether the file reaches the disk before the return
   */
  static IntentFile create(Path directory, String name, byte[] lines, boolean sync)
      throws IOException {
    Files.createDirectories(directory);
    Path complete = directory.toRealPath().resolve(name + SUFFIX);
    Path incomplete = complete.resolveSibling(name + INCOMPLETE_SUFFIX);
    OWN.add(incomplete);
    OWN.add(complete);
    FileChannel channel;
    try {
      channel =
          FileChannel.open(incomplete, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
    } catch (IOException | RuntimeException e) {
      OWN.remove(incomplete);
      OWN.remove(complete);
      throw e;
    }
    IntentFile file = new IntentFile(complete, channel);
    try {
      if (channel.tryLock() == null) {
        throw new IOException("another process has locked " + incomplete);
      }
      file.append(lines, sync);
      Files.move(incomplete, complete, StandardCopyOption.ATOMIC_MOVE);
      if (sync) {
        forceDirectory(directory);
      }
      return file;
    } catch (IOException | RuntimeException e) {
      file.delete();
      Files.deleteIfExists(incomplete);
      throw e;
    } finally {
      OWN.remove(incomplete);
    }
  }

  private static void forceDirectory(Path directory) throws IOException {
    try (FileChannel entries = FileChannel.open(directory, StandardOpenOption.READ)) {
      entries.force(true);
    }
  }

  /** Whether this process has the file open. */
  static boolean isOwn(Path file) {
    return OWN.contains(file);
  }

  /** Appends lines, or fails and leaves none of them. */
  void append(byte[] lines, boolean sync) throws IOException {
    try {
      ByteBuffer left = ByteBuffer.wrap(lines);
      long end = bytes;
      while (left.hasRemaining()) {
        end += channel.write(left, end);
      }
      if (sync) {
        channel.force(false);
      }
      bytes = end;
    } catch (IOException | RuntimeException e) {
      truncate();
      throw e;
    }
  }

  private void truncate() {
    try {
      channel.truncate(bytes);
    } catch (IOException e) {
      broken = true;
      LOG.warn("can't truncate an incomplete line of {}: {}", path, e.getMessage());
    }
  }

  /** The length in bytes. */
  long bytes() {
    return bytes;
  }

  /** Whether its end is unknown after a failure: nothing may be appended any more. */
  boolean isBroken() {
    return broken;
  }

  /** Closes the file and leaves it to the next process. */
  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      LOG.warn("can't close {}: {}", path, e.getMessage());
    } finally {
      OWN.remove(path);
    }
  }

  /** Deletes the file while it is locked, then closes it. */
  void delete() {
    try {
      Files.deleteIfExists(path);
    } catch (IOException e) {
      LOG.warn("can't delete {}: {}", path, e.getMessage());
    }
    close();
  }
}
