package dev.weir.routing.write;

/** How much is written. */
public record WriteVolume(int documents, long bytes) {}
