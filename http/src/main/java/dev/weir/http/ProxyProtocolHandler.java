package dev.weir.http;

import dev.weir.http.connection.ConnectionCounts;
import dev.weir.http.connection.ServerContext;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the header of the PROXY protocol, version 2, with which a trusted proxy begins a
 * connection: the address of the client for which it opened it. Closes a connection that begins
 * otherwise. Removes itself afterwards. Confined to the connection's event loop.
 *
 * <pre>
 *   signature  12 bytes
 *   version    4 bits: 2
 *   command    4 bits: 0 LOCAL (the proxy speaks for itself), 1 PROXY
 *   family     4 bits: 1 IPv4, 2 IPv6; refused with PROXY if another one, which names no client
 *   protocol   4 bits
 *   length     2 bytes: of what follows
 *   addresses  source, destination; source port, destination port
 *   more       fields of type, length, value, which the gateway skips
 * </pre>
 */
final class ProxyProtocolHandler extends ByteToMessageDecoder {
  private static final Logger LOG = LoggerFactory.getLogger(ProxyProtocolHandler.class);

  private static final byte[] SIGNATURE = {
    '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'
  };
  private static final int FIXED_BYTES = 16;

  /** Proxies send up to a few hundred bytes of further fields. */
  private static final int MAX_LENGTH = 4096;

  private static final int LOCAL = 0x20;
  private static final int PROXY = 0x21;
  private static final int IPV4 = 1;
  private static final int IPV6 = 2;
  private static final long TIMEOUT_SECONDS = 10;

  private final ServerContext server;
  private @Nullable Future<?> timer;

  ProxyProtocolHandler(ServerContext server) {
    this.server = server;
  }

  @Override
  public void handlerAdded(ChannelHandlerContext context) {
    timer =
        context
            .executor()
            .schedule(
                () -> {
                  server.counts().increment(ConnectionCounts.Reason.TIMEOUT);
                  context.close();
                },
                TIMEOUT_SECONDS,
                TimeUnit.SECONDS);
  }

  @Override
  protected void handlerRemoved0(ChannelHandlerContext context) {
    if (timer != null) {
      timer.cancel(false);
    }
  }

  @Override
  protected void decode(ChannelHandlerContext context, ByteBuf in, List<Object> out)
      throws UnknownHostException {
    int start = in.readerIndex();
    for (int i = 0; i < Math.min(in.readableBytes(), SIGNATURE.length); i++) {
      if (in.getByte(start + i) != SIGNATURE[i]) {
        refuse(context, in, "no header of the PROXY protocol, version 2");
        return;
      }
    }
    if (in.readableBytes() < FIXED_BYTES) {
      return;
    }
    int command = in.getUnsignedByte(start + 12);
    int family = in.getUnsignedByte(start + 13) >> 4;
    int length = in.getUnsignedShort(start + 14);
    if ((command != LOCAL && command != PROXY) || length > MAX_LENGTH) {
      refuse(context, in, "a header with command " + command + " and length " + length);
      return;
    }
    if (in.readableBytes() < FIXED_BYTES + length) {
      return;
    }
    int addressBytes = family == IPV4 ? 4 : family == IPV6 ? 16 : 0;
    if (command == PROXY) {
      if (addressBytes == 0 || length < 2 * addressBytes + 4) {
        refuse(context, in, "a header with family " + family + " and length " + length);
        return;
      }
      byte[] source = new byte[addressBytes];
      in.getBytes(start + FIXED_BYTES, source);
      int port = in.getUnsignedShort(start + FIXED_BYTES + 2 * addressBytes);
      InetSocketAddress client = new InetSocketAddress(InetAddress.getByAddress(source), port);
      if (!server.tryName(context.channel(), client)) {
        refuse(context, in, "a connection of a client that has its share of them");
        return;
      }
    }
    in.skipBytes(FIXED_BYTES + length);
    context.pipeline().remove(this);
  }

  private static void refuse(ChannelHandlerContext context, ByteBuf in, String got) {
    LOG.debug("{} sent {}", context.channel().remoteAddress(), got);
    in.skipBytes(in.readableBytes());
    context.close();
  }
}
