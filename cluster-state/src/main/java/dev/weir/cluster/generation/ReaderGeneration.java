package dev.weir.cluster.generation;

/**
 * What a search on one copy of a shard depends on, besides its own request. Two equal generations
 * of a copy mean that all searches on it in between had the same documents, mapping and settings.
 * They say nothing about what a search depends on elsewhere: its time, stored scripts, settings of
 * the cluster.
 *
 * @param nodeRun an id of the node's process
 * @param reader the number of the reader, unique in that process
 * @param mappingVersion the version of the index's mapping that the copy uses
 * @param settingsVersion the version of the index's settings that the copy uses
 */
public record ReaderGeneration(
    String nodeRun, long reader, long mappingVersion, long settingsVersion) {}
