package dev.weir.bluegreen.compare;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * What a comparison keeps of a document.
 *
 * @param index that has it
 * @param hash of its source
 */
record DocumentFingerprint(
    String index, String id, @Nullable String routing, long version, SourceHash hash) {
  /** Whether a document of the other cluster has the same version and source. */
  boolean isSameAs(DocumentFingerprint other) {
    return version == other.version && hash.equals(other.hash);
  }

  void writeTo(DataOutputStream out) throws IOException {
    writeText(out, index);
    writeText(out, id);
    out.writeBoolean(routing != null);
    if (routing != null) {
      writeText(out, routing);
    }
    out.writeLong(version);
    out.writeLong(hash.high());
    out.writeLong(hash.low());
  }

  static DocumentFingerprint readFrom(DataInputStream in) throws IOException {
    String index = readText(in).intern();
    String id = readText(in);
    String routing = in.readBoolean() ? readText(in) : null;
    return new DocumentFingerprint(
        index, id, routing, in.readLong(), new SourceHash(in.readLong(), in.readLong()));
  }

  private static void writeText(DataOutputStream out, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(bytes.length);
    out.write(bytes);
  }

  private static String readText(DataInputStream in) throws IOException {
    return new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
  }
}
