package dev.weir.http;

import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;

/**
 * The event loops that a server runs on. Owned by the caller.
 *
 * @param acceptors accept connections
 * @param workers carry them; each request stays on one of these
 * @param serverChannel what listens, fit for the loops
 * @param allocator where buffers come from
 */
public record ServerEventLoops(
    EventLoopGroup acceptors,
    EventLoopGroup workers,
    Class<? extends ServerChannel> serverChannel,
    ByteBufAllocator allocator) {}
