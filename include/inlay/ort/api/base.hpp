// Common to all classes of namespace Ort: exceptions, owners and views of an object, text from an allocator.
#pragma once
#include "c_types.hpp"
#include <exception>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace Ort {
// The exception of every failure.
struct Exception : std::exception {
    Exception(std::string text, OrtErrorCode code) : text_(std::move(text)), code_(code) {}
    OrtErrorCode GetOrtErrorCode() const { return code_; }
    const char* what() const noexcept override { return text_.c_str(); }

  private:
    std::string text_;
    OrtErrorCode code_;
};

std::string GetVersionString();  // of the interface, then Inlay's own in brackets
std::string GetBuildInfoString();
// The providers that a session can use here by their names, "CPUExecutionProvider" last, as ONNX Runtime lists them:
// those of the build but for engines whose libraries are missing.
std::vector<std::string> GetAvailableProviders();

namespace detail {
[[noreturn]] void raise(OrtErrorCode code, const std::string& text);  // an Exception

// Every object is released by its overload; null is nothing.
void OrtRelease(OrtStatus*) noexcept;
void OrtRelease(OrtEnv*) noexcept;
void OrtRelease(OrtThreadingOptions*) noexcept;
void OrtRelease(OrtArenaCfg*) noexcept;
void OrtRelease(OrtMemoryInfo*) noexcept;
void OrtRelease(OrtAllocator*) noexcept;  // those that Allocator created
void OrtRelease(OrtValue*) noexcept;
void OrtRelease(OrtTypeInfo*) noexcept;
void OrtRelease(OrtTensorTypeAndShapeInfo*) noexcept;
void OrtRelease(OrtSequenceTypeInfo*) noexcept;
void OrtRelease(OrtMapTypeInfo*) noexcept;
void OrtRelease(OrtSessionOptions*) noexcept;
void OrtRelease(OrtRunOptions*) noexcept;
void OrtRelease(OrtSession*) noexcept;
void OrtRelease(OrtModelMetadata*) noexcept;
void OrtRelease(OrtIoBinding*) noexcept;
void OrtRelease(OrtCustomOpDomain*) noexcept;
void OrtRelease(OrtKernelInfo*) noexcept;

template <class T> struct Unowned { using Type = T; };

// Owns an object: moved, never copied. Empty where it was constructed from nullptr.
template <class T> struct Base {
    using contained_type = T;
    constexpr Base() = default;
    constexpr explicit Base(T* p) noexcept : p_(p) {}
    Base(const Base&) = delete;
    Base& operator=(const Base&) = delete;
    Base(Base&& from) noexcept : p_(from.release()) {}
    Base& operator=(Base&& from) noexcept {
        if (this != &from) {
            OrtRelease(p_);
            p_ = from.release();
        }
        return *this;
    }
    ~Base() { OrtRelease(p_); }
    constexpr operator T*() const noexcept { return p_; }
    T* release() noexcept { return std::exchange(p_, nullptr); }  // the caller owns it now

  protected:
    T* p_ = nullptr;
};
// A view of an object that something else owns, and that must outlive the view.
template <class T> struct Base<Unowned<T>> {
    using contained_type = T;
    constexpr Base() = default;
    constexpr explicit Base(T* p) noexcept : p_(p) {}
    constexpr operator T*() const noexcept { return p_; }

  protected:
    T* p_ = nullptr;
};

struct AllocatedFree {
    OrtAllocator* allocator_;
    explicit AllocatedFree(OrtAllocator* allocator) : allocator_(allocator) {}
    void operator()(void* p) const {
        if (p) allocator_->Free(allocator_, p);
    }
};
}  // namespace detail

// A text in the memory of an allocator, which must outlive it.
using AllocatedStringPtr = std::unique_ptr<char, detail::AllocatedFree>;

// A result without an exception: empty where all is well.
struct Status : detail::Base<OrtStatus> {
    using Base = detail::Base<OrtStatus>;
    using Base::Base;
    explicit Status(std::nullptr_t) noexcept {}
    explicit Status(const Exception&);
    explicit Status(const std::exception&);
    Status(const char* message, OrtErrorCode code);
    std::string GetErrorMessage() const;
    OrtErrorCode GetErrorCode() const;
    bool IsOK() const noexcept { return p_ == nullptr; }
};
void ThrowOnError(OrtStatus* status);  // releases it
void ThrowOnError(const Status& status);
}  // namespace Ort

#define ORT_CXX_API_THROW(text, code) throw Ort::Exception(text, code)
