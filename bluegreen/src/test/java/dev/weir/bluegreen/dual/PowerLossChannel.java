package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.PowerLossDisk.Content;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An open file of a {@link PowerLossDisk}, or its directory. */
final class PowerLossChannel extends FileChannel {
  private final PowerLossDisk disk;
  private final @Nullable Content content;
  private long position;

  /**
   * Opens.
   *
   * @param content null for the directory
   */
  PowerLossChannel(PowerLossDisk disk, @Nullable Content content) {
    this.disk = disk;
    this.content = content;
  }

  private Content content() {
    return Objects.requireNonNull(content, "the directory has no content");
  }

  @Override
  public int read(ByteBuffer into, long from) {
    disk.onRead();
    byte[] bytes = content().bytes();
    if (from >= bytes.length) {
      return -1;
    }
    int length = Math.min(into.remaining(), bytes.length - Math.toIntExact(from));
    into.put(bytes, Math.toIntExact(from), length);
    return length;
  }

  @Override
  public int read(ByteBuffer into) {
    int length = read(into, position);
    position += Math.max(0, length);
    return length;
  }

  @Override
  public int write(ByteBuffer from, long to) {
    byte[] bytes = content().bytes();
    int at = Math.toIntExact(to);
    int length = from.remaining();
    byte[] longer = Arrays.copyOf(bytes, Math.max(bytes.length, at + length));
    from.get(longer, at, length);
    disk.setBytes(content(), longer);
    return length;
  }

  @Override
  public int write(ByteBuffer from) {
    int length = write(from, position);
    position += length;
    return length;
  }

  @Override
  public FileChannel truncate(long size) {
    byte[] bytes = content().bytes();
    disk.setBytes(content(), Arrays.copyOf(bytes, Math.toIntExact(Math.min(size, bytes.length))));
    return this;
  }

  @Override
  public void force(boolean metadata) {
    if (content == null) {
      disk.syncNames();
    } else {
      disk.sync(content);
    }
  }

  @Override
  public long size() {
    disk.requirePower();
    return content().bytes().length;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public FileChannel position(long now) {
    position = now;
    return this;
  }

  @Override
  protected void implCloseChannel() {
    // nothing is open
  }

  @Override
  public long read(ByteBuffer[] into, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long write(ByteBuffer[] from, int offset, int length) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferTo(long from, long count, WritableByteChannel target) {
    throw new UnsupportedOperationException();
  }

  @Override
  public long transferFrom(ReadableByteChannel source, long to, long count) {
    throw new UnsupportedOperationException();
  }

  @Override
  public MappedByteBuffer map(MapMode mode, long from, long size) {
    throw new UnsupportedOperationException();
  }

  @Override
  public FileLock lock(long from, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }

  @Override
  public @Nullable FileLock tryLock(long from, long size, boolean shared) {
    throw new UnsupportedOperationException();
  }
}
