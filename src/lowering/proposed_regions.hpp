// Regions between proposal and compilation, found by what they depend on.
#pragma once
#include <inlay/sdk/engine.hpp>
#include <algorithm>
#include <list>
#include <mutex>
#include <optional>

namespace inlay {
inline namespace v1 {
namespace lowering {
// Regions of which this is the same have the same ONNX without elements. Nothing: they cannot be compared.
std::optional<std::string> structure_of(const region&);

// What an engine has of regions that are proposed and not compiled yet. Each is returned once; where they have more
// bytes than `most`, the oldest are dropped.
template <class Content> class proposed_regions {
    struct entry {
        std::string key;
        Content content;
        std::size_t bytes;
    };
    const std::size_t most_;
    std::mutex mutex_;
    std::list<entry> entries_;  // the newest first
    std::size_t bytes_ = 0;

  public:
    explicit proposed_regions(std::size_t most) : most_(most) {}
    std::size_t most() const { return most_; }
    // No content is created or destroyed under the lock: a library may take its time.
    void keep(std::string key, Content content, std::size_t content_bytes) {
        const std::size_t bytes = key.size() + content_bytes;
        std::list<entry> added, dropped;
        added.push_back({std::move(key), std::move(content), bytes});
        const std::lock_guard lock(mutex_);
        entries_.splice(entries_.begin(), added);
        for (bytes_ += bytes; bytes_ > most_; bytes_ -= dropped.back().bytes)
            dropped.splice(dropped.end(), entries_, std::prev(entries_.end()));
    }
    std::optional<Content> take(const std::string& key) {
        std::list<entry> match;
        {
            const std::lock_guard lock(mutex_);
            const auto at = std::ranges::find(entries_, key, &entry::key);
            if (at == entries_.end()) return {};
            bytes_ -= at->bytes;
            match.splice(match.end(), entries_, at);
        }
        return std::move(match.front().content);
    }
};
}  // namespace lowering
}  // namespace v1
}  // namespace inlay
