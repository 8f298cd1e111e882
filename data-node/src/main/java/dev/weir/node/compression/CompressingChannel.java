package dev.weir.node.compression;

import dev.weir.node.channel.ForwardingChannel;
import java.io.IOException;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.TransportChannel;

/** Compresses the response of a channel; failures and small responses stay as they are. */
final class CompressingChannel extends ForwardingChannel {
  /** The response header with the size of the payload before it was compressed, in bytes. */
  static final String HEADER = "weir-zstd";

  private final ThreadContext context;

  CompressingChannel(TransportChannel channel, ThreadContext context) {
    super(channel);
    this.context = context;
  }

  @Override
  public void sendResponse(TransportResponse response) throws IOException {
    WrittenResponse written;
    try (ResponseCompressor out = new ResponseCompressor()) {
      out.setVersion(getVersion());
      response.writeTo(out);
      written = out.finish();
    }
    if (!written.isCompressed()) {
      super.sendResponse(written);
      return;
    }
    // a failure that follows, because this response can't be sent, has no header
    ThreadContext.StoredContext before = context.newStoredContext(false);
    try {
      context.addResponseHeader(HEADER, Integer.toString(written.size()));
      super.sendResponse(written);
    } finally {
      before.restore();
    }
  }
}
