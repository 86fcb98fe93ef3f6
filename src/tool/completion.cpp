// inlay completion: what a shell needs to complete commands, options and values, from the program's own tree of them.
#include "common.hpp"

namespace inlay::tool {
namespace {
struct completion_arguments {
    std::string shell;
    bool quiet = false;  // nothing is printed but what was asked for
};
std::string options_of_command(const command& c) {
    std::string all;
    for (const listed_option& o : c.options()) {
        for (const std::string& name : o.long_names) all += (all.empty() ? "--" : " --") + name;
        for (const std::string& name : o.short_names) all += (all.empty() ? "-" : " -") + name;
    }
    return all;
}
std::string members_of(const listed_option& o) {  // npy pb, of FORMAT:{npy,pb}
    std::string text = o.type_name;
    const std::size_t first = text.find('{'), last = text.find('}');
    if (first == text.npos || last == text.npos) return {};
    text = text.substr(first + 1, last - first - 1);
    std::ranges::replace(text, ',', ' ');
    return text;
}
std::string bash(const command& app) {
    std::string commands, options, values, providers;
    for (const provider_factory& f : provider_factories())
        providers += (providers.empty() ? "" : " ") + short_name(f.name);
    for (const command& c : app.commands()) {
        commands += (commands.empty() ? "" : " ") + c.name();
        options += fmt::format("        {}) options=\"{}\" ;;\n", c.name(), options_of_command(c));
        for (const listed_option& o : c.options())
            if (const std::string all = members_of(o); !all.empty())
                values += fmt::format("        {}:{}) values=\"{}\" ;;\n", c.name(),
                                      o.positional ? "*" : "--" + o.long_names.front(), all);
    }
    return fmt::format(R"(# Completion of inlay for bash; made by `inlay completion bash`.
_inlay() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} options= values=
    [ "$word" = "=" ] && word=
    [ "$before" = "=" ] && before=${{COMP_WORDS[COMP_CWORD-2]}}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{} {}" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}    esac
    if [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}}:$before in
        *:--providers | *:--against-providers | *:--a) values="{}" ;;
        *:--fallback) values="implicit_cpu never any" ;;
        *:--partition) values="order cost" ;;
{}    esac
    if [ -n "$values" ]; then COMPREPLY=($(compgen -W "$values" -- "$word")); else COMPREPLY=($(compgen -f -- "$word")); fi
}}
complete -o filenames -F _inlay inlay
)",
                       commands, options_of_command(app), options, providers, values);
}
}  // namespace

void add_completion(command& app, action& chosen) {
    auto a = std::make_shared<completion_arguments>();
    command c = app.add_command(
        "completion",
        "Print what a shell needs to complete commands, options and values: source <(inlay completion bash)");
    c.add_option("SHELL", a->shell, "For which shell: bash").required().member_of({"bash"});
    add_quiet(c, a->quiet);
    c.on_choice([&app, &chosen, a] {
        chosen = [&app] {
            fmt::print("{}", bash(app));
            return int(exit_status::done);
        };
    });
}
}  // namespace inlay::tool
